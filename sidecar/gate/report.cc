#include "sidecar/gate/report.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {
namespace {

using nlohmann::json;

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get<std::string>();
}

std::vector<std::string> Texts(const json& object, const char* key) {
  std::vector<std::string> texts;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return texts;
  for (const json& one : *found) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

bool IsTrue(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && *found == true;
}

// Whole milliseconds from 0 to a year; what is not there, or not that, is 0:
// nothing remains.
Duration Milliseconds(const json& document, const char* group,
                      const char* key) {
  constexpr std::int64_t kYear = std::int64_t{366} * 24 * 3600 * 1000;
  const auto object = document.find(group);
  if (object == document.end() || !object->is_object()) return Duration{0};
  const auto found = object->find(key);
  if (found == object->end() || !found->is_number_integer()) return Duration{0};
  return std::chrono::milliseconds(
      std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kYear));
}

std::int64_t Decimal(const json& object, const char* key) {
  const std::string text = Text(object, key);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && at == end && number > 0 ? number : 0;
}

std::optional<Certainty> ReadCertainty(const json& document) {
  const std::string name = Text(document, "certainty");
  for (const Certainty certainty :
       {Certainty::kHeld, Certainty::kStandby, Certainty::kUncertain}) {
    if (name == CertaintyName(certainty)) return certainty;
  }
  return std::nullopt;
}

}  // namespace

Result<Report> ReadReport(std::string_view text, const Instant& asked) {
  const std::unexpected<Error> something_else =
      Fail(ErrorCode::kInvalidArgument,
           "expected the status document of one lease, found something else");
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return something_else;
  const std::optional<Certainty> certainty = ReadCertainty(document);
  if (!certainty) return something_else;
  Report report;
  report.asked = asked;
  report.certainty = *certainty;
  report.reason = Text(document, "reason");
  report.generation = Decimal(document, "generation");
  report.to_renew_by = Milliseconds(document, "remainingMs", "toRenewBy");
  report.to_valid_until = Milliseconds(document, "remainingMs", "toValidUntil");
  report.try_limit = Milliseconds(document, "durationsMs", "tryLimit");
  report.take_over = Milliseconds(document, "durationsMs", "takeOver");
  report.draining = IsTrue(document, "draining");
  report.lease = Text(document, "lease");
  report.slot = IsTrue(document, "slot");
  report.name_space = Text(document, "namespace");
  report.identity = Text(document, "identity");
  report.holder = Text(document, "holder");
  report.holder_generation = Decimal(document, "holderGeneration");
  if (const auto run = document.find("lastRun");
      run != document.end() && run->is_object()) {
    report.last_run = {Text(*run, "id"), Text(*run, "order")};
  }
  report.runs_under_way = Texts(document, "runsUnderWay");
  report.refusal = Text(document, "refusal");
  report.server_error = Text(document, "serverError");
  report.forbidden = Text(document, "refusalReason") == "forbidden";
  if (report.certainty == Certainty::kHeld && report.generation == 0) {
    return something_else;
  }
  return report;
}

std::string ReadError(std::string_view body) {
  const json document = json::parse(body, nullptr, false);
  std::string text = document.is_object() ? Text(document, "error") : "";
  return text.empty() ? std::string(body.substr(0, body.find('\n'))) : text;
}

}  // namespace tenure
