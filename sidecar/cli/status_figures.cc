#include "sidecar/cli/status_figures.h"

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using nlohmann::json;

std::string Text(const json& parent, const char* key) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_string()) return "";
  std::string text;
  for (const char c : found->get<std::string>()) {
    text += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return text;
}

bool IsTrue(const json& parent, const char* key) {
  const auto found = parent.find(key);
  return found != parent.end() && *found == true;
}

Duration Ms(const json& parent, const char* key) {
  const auto found = parent.find(key);
  if (found == parent.end() || !found->is_number()) return Duration{0};
  constexpr double kLongest = 1e12;  // three decades
  const double ms = found->get<double>();
  if (!(ms > -kLongest && ms < kLongest)) return Duration{0};
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double, std::milli>(ms));
}

json Part(const json& parent, const char* key) {
  const auto found = parent.find(key);
  return found != parent.end() && found->is_object() ? *found : json::object();
}

}  // namespace

Result<StatusFigures> ReadStatusFigures(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || Text(document, "certainty").empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected the status document of one lease, found something "
                "else");
  }
  StatusFigures figures;
  figures.lease = Text(document, "namespace") + "/" + Text(document, "lease");
  figures.certainty = Text(document, "certainty");
  figures.reason = Text(document, "reason");
  figures.generation = Text(document, "generation");
  figures.identity = Text(document, "identity");
  figures.holder = Text(document, "holder");
  figures.holder_generation = Text(document, "holderGeneration");
  figures.refusal = Text(document, "refusal");
  const std::string silent = Text(document, "serverError");
  if (figures.refusal.empty() && !silent.empty()) {
    figures.refusal = "no answer from the API server: " + silent;
  }
  figures.draining = IsTrue(document, "draining");
  figures.work_running = IsTrue(document, "workRunning");
  const json remaining = Part(document, "remainingMs");
  figures.to_renew_by = Ms(remaining, "toRenewBy");
  figures.to_valid_until = Ms(remaining, "toValidUntil");
  const json durations = Part(document, "durationsMs");
  figures.lease_duration = Ms(durations, "lease");
  figures.renew_deadline = Ms(durations, "renewDeadline");
  const json round_trips = Part(document, "roundTripMs");
  figures.round_trip_last = Ms(round_trips, "last");
  figures.round_trip_p99 = Ms(round_trips, "p99");
  figures.margin = Ms(document, "marginMs");
  const auto renewals = document.find("renewals");
  if (renewals != document.end() && renewals->is_number_integer()) {
    figures.renewals = renewals->get<std::int64_t>();
  }
  return figures;
}

}  // namespace tenure
