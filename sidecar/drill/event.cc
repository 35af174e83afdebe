#include "sidecar/drill/event.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tenure {
namespace {

using nlohmann::json;
using Kind = DrillEventKind;

constexpr std::array<std::pair<Kind, const char*>, 13> kKinds{{
    {Kind::kStarted, "started"},
    {Kind::kCertainty, "certainty"},
    {Kind::kFrozen, "frozen"},
    {Kind::kResumed, "resumed"},
    {Kind::kGone, "gone"},
    {Kind::kHolding, "holding"},
    {Kind::kTry, "try"},
    {Kind::kAnswer, "answer"},
    {Kind::kStored, "stored"},
    {Kind::kWithheld, "withheld"},
    {Kind::kTrouble, "trouble"},
    {Kind::kFault, "fault"},
    {Kind::kNote, "note"},
}};

constexpr std::array<std::pair<StoreOutcome, const char*>, 3> kOutcomes{{
    {StoreOutcome::kAccepted, "accepted"},
    {StoreOutcome::kRefused, "refused"},
    {StoreOutcome::kUnknown, "unknown"},
}};

std::int64_t Number(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer()
             ? found->get<std::int64_t>()
             : 0;
}

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

std::int64_t Decimal(const json& object, const char* key) {
  const std::string text = Text(object, key);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && at == end ? number : 0;
}

}  // namespace

const char* EventKindName(DrillEventKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return name;
  }
  return "note";
}

const char* OutcomeName(StoreOutcome outcome) {
  for (const auto& [known, name] : kOutcomes) {
    if (known == outcome) return name;
  }
  return "unknown";
}

void TakeAnswer(const StoreAnswer& answer, DrillEvent* event) {
  event->kind = Kind::kAnswer;
  event->token = answer.token;
  event->text = answer.error;
  event->outcome =
      answer.result == StoreAnswer::Result::kAccepted  ? StoreOutcome::kAccepted
      : answer.result == StoreAnswer::Result::kRefused ? StoreOutcome::kRefused
                                                       : StoreOutcome::kUnknown;
}

std::string EventLine(const DrillEvent& event) {
  json line = {{"at", event.at.count()},
               {"who", event.who},
               {"kind", EventKindName(event.kind)}};
  // As strings, like everywhere: some readers lose digits of a number.
  if (event.generation != 0) {
    line["generation"] = std::to_string(event.generation);
  }
  if (!event.op.empty()) line["op"] = event.op;
  if (!event.id.empty()) line["id"] = event.id;
  if (event.kind == Kind::kAnswer) line["outcome"] = OutcomeName(event.outcome);
  if (event.token != 0) line["token"] = std::to_string(event.token);
  if (event.pid != 0) line["pid"] = event.pid;
  if (event.writes >= 0) line["writes"] = event.writes;
  if (event.before != Duration{0}) line["before"] = event.before.count();
  if (!event.text.empty()) line["text"] = event.text;
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<DrillEvent> ReadEventLine(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  DrillEvent event;
  if (!line.is_object()) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected an event of a writer, found something else");
  }
  const std::string name = Text(line, "kind");
  bool known = false;
  for (const auto& [kind, kind_name] : kKinds) {
    if (name != kind_name) continue;
    event.kind = kind;
    known = true;
  }
  if (!known) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "expected an event of a writer, found the kind \"" + name + "\"");
  }
  for (const auto& [outcome, outcome_name] : kOutcomes) {
    if (Text(line, "outcome") == outcome_name) event.outcome = outcome;
  }
  event.at = Duration(Number(line, "at"));
  event.who = Text(line, "who");
  event.generation = Decimal(line, "generation");
  event.op = Text(line, "op");
  event.id = Text(line, "id");
  event.token = Decimal(line, "token");
  event.pid = Number(line, "pid");
  event.before = Duration(Number(line, "before"));
  event.text = Text(line, "text");
  return event;
}

std::vector<Attempt> Attempts(const std::vector<DrillEvent>& events) {
  std::vector<Attempt> attempts;
  for (const DrillEvent& event : events) {
    if (event.kind == Kind::kTry) {
      attempts.push_back(Attempt{event.who, event.op, event.id,
                                 event.generation, event.at, event.at,
                                 StoreOutcome::kUnknown, 0, event.text});
    }
    if (event.kind != Kind::kAnswer) continue;
    // The last one with this id: it may have been asked again.
    for (auto at = attempts.rbegin(); at != attempts.rend(); ++at) {
      if (at->id != event.id) continue;
      at->answered = event.at;
      at->outcome = event.outcome;
      at->token = event.token;
      if (!event.text.empty()) at->text = event.text;
      break;
    }
  }
  return attempts;
}

}  // namespace tenure
