#include "sidecar/cli/status_document.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/cli/exit_code.h"

namespace tenure {
namespace {

using Json = nlohmann::ordered_json;

// As long as anything can be told to last.
constexpr Duration kLongest = std::chrono::hours(24 * 366);
constexpr std::int64_t kLongestMs =
    std::chrono::duration_cast<std::chrono::milliseconds>(kLongest).count();

std::string Dump(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Names come from other programs' records: nothing of them may steer the
// terminal.
std::string Text(const Json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_string()) return "";
  std::string text;
  for (const char c : found->get<std::string>()) {
    text += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return text;
}

// Takes `elapsed` milliseconds off what remains, down to 0. What is left until
// the doubt; 0 if it does not say.
std::int64_t Age(std::int64_t elapsed, Json* document) {
  const auto remaining = document->find("remainingMs");
  if (remaining == document->end() || !remaining->is_object()) return 0;
  std::int64_t left = 0;
  for (const char* const key : {"toRenewBy", "toValidUntil"}) {
    const auto found = remaining->find(key);
    if (found == remaining->end() || !found->is_number_integer()) continue;
    const std::int64_t told =
        std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kLongestMs);
    *found = std::max<std::int64_t>(told - elapsed, 0);
    if (std::string_view(key) == "toRenewBy") left = found->get<std::int64_t>();
  }
  return left;
}

void AddLease(std::int64_t elapsed, Json* aged, StatusSummary* summary) {
  const std::int64_t left = Age(elapsed, aged);
  // S1: the answer was computed after we asked, so it was true for that long
  // at the least, and is not known to be true any longer.
  if (Text(*aged, "certainty") == "held" &&
      (left <= 0 || Text(*aged, "generation").empty())) {
    (*aged)["certainty"] = "uncertain";
    (*aged)["reason"] = "renewBy";
    aged->erase("generation");
  }
  const Json& document = *aged;
  const std::string certainty = Text(document, "certainty");
  std::string line = Text(document, "namespace") + "/" +
                     Text(document, "lease") + ": " + certainty;
  int code = kExitUncertain;
  if (certainty == "held") {
    code = kExitHeld;
    summary->generation = Text(document, "generation");
    line += ", generation " + summary->generation + " for " +
            std::to_string(left) + " ms";
  } else if (certainty == "standby") {
    code = kExitStandby;
    const std::string holder = Text(document, "holder");
    const std::string generation = Text(document, "holderGeneration");
    line += holder.empty() ? ", nobody holds it" : ", held by " + holder;
    if (!generation.empty()) line += ", generation " + generation;
  } else {
    const std::string reason = Text(document, "reason");
    if (!reason.empty()) line += ", " + reason;
  }
  const auto draining = document.find("draining");
  if (draining != document.end() && *draining == true) line += ", draining";
  const std::string refusal = Text(document, "refusal");
  if (!refusal.empty()) line += "; " + refusal;
  const std::string silent = Text(document, "serverError");
  if (!silent.empty()) line += "; no answer from the API server: " + silent;
  summary->text += line + "\n";
  summary->exit_code = std::max(summary->exit_code, code);
}

// Any one of several slots is all that is wanted.
bool HoldsASlot(const Json& leases) {
  return std::ranges::any_of(leases, [](const Json& lease) {
    if (!lease.is_object() || Text(lease, "certainty") != "held") return false;
    const auto slot = lease.find("slot");
    return slot != lease.end() && *slot == true;
  });
}

}  // namespace

Result<StatusSummary> ReadStatusDocument(std::string_view text,
                                         Duration since_asked) {
  const std::int64_t elapsed =
      std::chrono::ceil<std::chrono::milliseconds>(
          std::clamp<Duration>(since_asked, Duration{0}, kLongest))
          .count();
  Json document = Json::parse(text, nullptr, false);
  StatusSummary summary;
  if (document.is_object() && document.contains("certainty")) {
    AddLease(elapsed, &document, &summary);
    summary.json = Dump(document);
    return summary;
  }
  if (document.is_object() && document.contains("leases") &&
      document["leases"].is_array() && !document["leases"].empty()) {
    for (Json& lease : document["leases"]) {
      if (lease.is_object()) AddLease(elapsed, &lease, &summary);
    }
    if (HoldsASlot(document["leases"])) summary.exit_code = kExitHeld;
    summary.generation.clear();
    summary.json = Dump(document);
    if (!summary.text.empty()) return summary;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "expected a status document, found something else");
}

}  // namespace tenure
