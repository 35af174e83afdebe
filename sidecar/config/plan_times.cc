#include "sidecar/config/plan_times.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <utility>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/config/duration_text.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/settings.h"

namespace tenure {
namespace {

using std::chrono::seconds;
using Origins = std::map<std::string, std::string>;

constexpr Duration kStopBudget = seconds(5);
constexpr std::int32_t kMaxSeconds = 7 * 24 * 3600;

// The preset, or what follows from the ride-out; only what EffectiveTimes does
// not derive by itself.
Result<LeaseTimes> Base(const Settings& settings) {
  const Result<LeaseTimes> whole =
      settings.ride_out
          ? TimesForRideOut(*settings.ride_out,
                            settings.stop_budget.value_or(kStopBudget),
                            settings.renew_interval.value_or(seconds(2)),
                            settings.drift_allowance.ppm)
          : TimesForPreset(settings.preset);
  if (!whole) return whole;
  LeaseTimes times;
  times.lease_duration_seconds = whole->lease_duration_seconds;
  times.renew_deadline = whole->renew_deadline;
  times.renew_interval = whole->renew_interval;
  if (settings.ride_out) times.max_try_limit = whole->max_try_limit;
  return times;
}

// Between the renew deadline and the end of the claim.
Duration StopBudget(const LeaseTimes& times) {
  return ValidFor(times) - times.renew_deadline;
}

// The least whole seconds that leave `budget`; kMaxSeconds if none does.
std::int32_t SecondsThatLeave(LeaseTimes times, Duration budget) {
  while (times.lease_duration_seconds < kMaxSeconds &&
         StopBudget(times) < budget) {
    ++times.lease_duration_seconds;
  }
  return times.lease_duration_seconds;
}

// "tenure.yaml:7:3 rideOut", or the bare flag.
std::string Origin(const Origins& origins, const char* flag) {
  const auto found = origins.find(flag);
  return found == origins.end() ? flag : found->second;
}

// All that were given, for what no one of them is to blame for.
std::string TimeOrigins(const Origins& origins) {
  std::string text;
  for (const char* const flag : kTimeFlags) {
    const auto found = origins.find(flag);
    if (found == origins.end()) continue;
    text += (text.empty() ? "" : ", ") + found->second;
  }
  return text.empty() ? "times" : text;
}

void ApplyStopBudget(const Settings& settings, const Origins& origins,
                     LeaseTimes* times, Problems* problems) {
  const Duration budget = settings.stop_budget.value_or(kStopBudget);
  const std::int32_t needed = SecondsThatLeave(*times, budget);
  if (!settings.lease_duration) {
    times->lease_duration_seconds =
        std::max(times->lease_duration_seconds, needed);
    return;
  }
  if (needed <= times->lease_duration_seconds) return;
  problems->push_back(
      Origin(origins, "stop-budget") +
      ": expected to fit between the renew deadline and the end of "
      "the claim: " +
      FormatDuration(ValidFor(*times)) + " - " +
      FormatDuration(times->renew_deadline) + " = " +
      FormatDuration(StopBudget(*times)) + ", found " + FormatDuration(budget) +
      "; raise lease-duration to " + std::to_string(needed) + "s");
}

}  // namespace

std::expected<LeaseTimes, Problems> PlanTimes(const Settings& settings,
                                              const Origins& origins) {
  Problems problems;
  if (origins.contains("preset") && settings.ride_out) {
    problems.push_back(Origin(origins, "ride-out") +
                       ": expected alone, found beside preset " +
                       settings.preset + "; drop one of the two");
  }
  const Result<LeaseTimes> base = Base(settings);
  if (!base) {
    problems.push_back(TimeOrigins(origins) + ": " + base.error().message);
    return std::unexpected(std::move(problems));
  }
  LeaseTimes times = *base;
  times.drift_ppm = settings.drift_allowance.ppm;
  times.foreign_contenders = settings.foreign_contenders;
  times.renew_deadline = settings.renew_deadline.value_or(times.renew_deadline);
  times.renew_interval = settings.renew_interval.value_or(times.renew_interval);
  times.min_renew_interval = settings.min_renew_interval.value_or(Duration{0});
  if (settings.lease_duration) {
    const Duration whole = *settings.lease_duration;
    if (whole % seconds(1) != Duration{0} || whole > seconds(kMaxSeconds)) {
      problems.push_back(Origin(origins, "lease-duration") +
                         ": expected whole seconds from 2s to 168h, found " +
                         FormatDuration(whole));
      return std::unexpected(std::move(problems));
    }
    times.lease_duration_seconds =
        static_cast<std::int32_t>(whole / seconds(1));
  }
  if (settings.stop_budget || settings.ride_out) {
    ApplyStopBudget(settings, origins, &times, &problems);
  }
  const Result<LeaseTimes> effective = EffectiveTimes(times);
  if (!effective) {
    problems.push_back(TimeOrigins(origins) + ": " + effective.error().message);
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return *effective;
}

}  // namespace tenure
