#include "sidecar/planning/plan_document.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "sidecar/base/instant.h"
#include "sidecar/planning/lease_plan.h"
#include "sidecar/planning/plan_text.h"

namespace tenure {
namespace {

using Json = nlohmann::ordered_json;

// Whole where it is whole.
Json Ms(Duration value) {
  constexpr std::int64_t kNanoseconds = 1'000'000;
  if (value.count() % kNanoseconds == 0) return value.count() / kNanoseconds;
  const std::int64_t microseconds = value.count() / 1000;
  return static_cast<double>(microseconds) / 1000.0;
}

std::int64_t Count(double value) {
  return static_cast<std::int64_t>(std::ceil(value));
}

}  // namespace

std::string PlanJson(const LeasePlan& plan) {
  const PlanInputs& in = plan.inputs;
  const auto leases = static_cast<double>(in.leases);
  Json json;
  json["inputsMs"] = {{"p99Work", Ms(in.p99_work)},
                      {"p99Pause", Ms(in.p99_pause)},
                      {"maxNetworkDelay", Ms(in.max_network_delay)},
                      {"safetyMargin", Ms(plan.safety_margin)}};
  if (in.job_timeout) json["inputsMs"]["jobTimeout"] = Ms(*in.job_timeout);
  json["durationsMs"] = {
      {"lease", std::int64_t{plan.times.lease_duration_seconds} * 1000},
      {"renewDeadline", Ms(plan.times.renew_deadline)},
      {"renewInterval", Ms(plan.times.renew_interval)}};
  json["driftPpm"] = plan.times.drift_ppm;
  json["chosen"] = plan.chosen;
  json["minimumMs"] = Ms(plan.minimum);
  json["marginMs"] = Ms(plan.margin);
  json["allowancesMs"] = {{"jitter", Ms(plan.jitter)},
                          {"clock", Ms(plan.drift)}};
  json["leftMs"] = Ms(plan.left);
  json["enough"] = plan.enough;
  if (plan.would_do) {
    json["wouldDoMs"] =
        std::int64_t{plan.would_do->lease_duration_seconds} * 1000;
    json["wouldDoRenewDeadlineMs"] = Ms(plan.would_do->renew_deadline);
  }
  json["survivesMs"] = {{"outageHeld", Ms(plan.survival.outage_held)},
                        {"outageClaim", Ms(plan.survival.outage_claim)},
                        {"pauseHeld", Ms(plan.survival.pause_held)},
                        {"pauseClaim", Ms(plan.survival.pause_claim)}};
  json["stopBudgetMs"] = Ms(plan.survival.stop_budget);
  json["recoveryMs"] = Ms(plan.survival.recovery);
  json["requestsPerHour"] = {
      {"lease", Count(plan.requests_per_hour)},
      {"leaseAtMost", Count(plan.most_requests_per_hour)},
      {"leases", in.leases},
      {"total", Count(leases * plan.requests_per_hour)},
      {"totalAtMost", Count(leases * plan.most_requests_per_hour)}};
  json["warnings"] = plan.warnings;
  if (plan.would_do) json["flags"] = RunFlags(*plan.would_do);
  json["note"] = kFenceNote;
  return json.dump() + "\n";
}

}  // namespace tenure
