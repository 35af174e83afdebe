#include "sidecar/planning/lease_plan.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/planning/time_text.h"

namespace tenure {
namespace {

using std::chrono::seconds;

constexpr std::int32_t kWeek = 7 * 24 * 3600;
// Of what varies; a p99 is exceeded once in a hundred times.
constexpr int kJitterPart = 10;
// RenewalSchedule starts a renewal up to a tenth of the interval early.
constexpr double kEarliestStart = 0.9;

std::int32_t NextStep(std::int32_t s) {
  std::int32_t step = 60;
  if (s < 10) {
    step = 1;
  } else if (s < 60) {
    step = 5;
  } else if (s < 300) {
    step = 10;
  }
  return (s / step + 1) * step;
}

Duration AtLeastNothing(Duration value) { return std::max(value, Duration{0}); }

Survival Survive(const PlanInputs& inputs, const LeaseTimes& times,
                 Duration spacing) {
  const Duration valid = ValidFor(times);
  // A try begun just before the server is back fails late, and the next one
  // comes a spacing after that.
  const Duration after_outage =
      times.renew_interval + spacing + times.max_try_limit;
  const Duration after_pause = times.renew_interval + inputs.max_network_delay;
  Survival survival;
  survival.outage_held = AtLeastNothing(times.renew_deadline - after_outage);
  survival.outage_claim = AtLeastNothing(valid - after_outage);
  survival.pause_held = AtLeastNothing(times.renew_deadline - after_pause);
  survival.pause_claim = AtLeastNothing(valid - after_pause);
  survival.stop_budget = valid - times.renew_deadline;
  survival.recovery =
      TakeOverWait(times.lease_duration_seconds, times.drift_ppm) +
      inputs.max_network_delay;
  return survival;
}

void Warn(LeasePlan* plan) {
  if (!plan->inputs.job_timeout) return;
  const Duration lease = seconds(plan->times.lease_duration_seconds);
  const Duration timeout = *plan->inputs.job_timeout;
  if (lease >= timeout) {
    plan->warnings.push_back(
        "lease duration " + TimeText(lease) +
        " is not shorter than the job timeout " + TimeText(timeout) +
        ": a holder that died still counts when the next job gives up; "
        "shorten the lease or lengthen the timeout");
  } else if (plan->survival.recovery >= timeout) {
    plan->warnings.push_back(
        "recovery takes " + TimeText(plan->survival.recovery) +
        ", not less than the job timeout " + TimeText(timeout) +
        ": a job that starts as the holder dies gives up before it can hold; "
        "shorten the lease or lengthen the timeout");
  }
}

// All of a plan but what another duration would do.
LeasePlan Sum(const PlanInputs& inputs, const LeaseTimes& times) {
  const Duration spacing = RenewalSchedule(times, 0).Spacing();
  LeasePlan plan;
  plan.inputs = inputs;
  plan.times = times;
  plan.safety_margin =
      inputs.safety_margin.value_or(spacing + inputs.max_network_delay);
  const Duration spent = inputs.p99_work + inputs.p99_pause +
                         inputs.max_network_delay + times.renew_interval;
  plan.minimum = spent + plan.safety_margin;
  const Duration lease = seconds(times.lease_duration_seconds);
  plan.margin = lease - spent;
  plan.jitter = (inputs.p99_pause + inputs.max_network_delay) / kJitterPart;
  plan.drift = lease - ValidFor(times);
  plan.left = plan.margin - plan.jitter - plan.drift;
  plan.survival = Survive(inputs, times, spacing);
  plan.stops_in_time = plan.survival.stop_budget >= inputs.p99_work;
  plan.enough = plan.stops_in_time && plan.left >= plan.safety_margin;
  plan.requests_per_hour =
      3600 / std::chrono::duration<double>(times.renew_interval).count();
  plan.most_requests_per_hour = plan.requests_per_hour / kEarliestStart;
  Warn(&plan);
  return plan;
}

}  // namespace

Result<LeaseTimes> WithSuitableDeadline(LeaseTimes times, Duration p99_work) {
  const Duration third = Duration(seconds(times.lease_duration_seconds)) / 3;
  const auto until = [&times](Duration deadline) {
    LeaseTimes with = times;
    // What people write: no finer than a tenth of a second.
    deadline -= deadline % std::chrono::milliseconds(100);
    with.renew_deadline = AtLeastNothing(deadline);
    return EffectiveTimes(with);
  };
  Result<LeaseTimes> suitable =
      until(std::min(2 * third, ValidFor(times) - p99_work));
  return suitable ? suitable : until(2 * third);
}

Result<LeasePlan> ChoosePlan(const PlanInputs& inputs,
                             const LeaseTimes& wanted) {
  Error refused;
  bool any_runs = false;
  for (std::int32_t s = 2; s <= kWeek; s = NextStep(s)) {
    LeaseTimes times = wanted;
    times.lease_duration_seconds = s;
    const Result<LeaseTimes> suitable =
        WithSuitableDeadline(times, inputs.p99_work);
    if (!suitable) {
      refused = suitable.error();
      continue;
    }
    any_runs = true;
    LeasePlan plan = Sum(inputs, *suitable);
    if (!plan.enough) continue;
    plan.chosen = true;
    plan.would_do = plan.times;
    return plan;
  }
  if (!any_runs) return std::unexpected(std::move(refused));
  return Fail(ErrorCode::kInvalidArgument,
              "expected what fits into a lease duration of at most 168 h, "
              "found more; renew while the work goes on, or cut it into "
              "shorter steps");
}

LeasePlan CheckPlan(const PlanInputs& inputs, const LeaseTimes& times) {
  LeasePlan plan = Sum(inputs, times);
  if (plan.enough) {
    plan.would_do = times;
    return plan;
  }
  LeaseTimes same = times;
  same.min_renew_interval = same.min_try_limit = same.max_try_limit =
      Duration{0};
  // Often only the renew deadline is too late for the work.
  const Result<LeaseTimes> earlier =
      WithSuitableDeadline(same, inputs.p99_work);
  if (earlier && Sum(inputs, *earlier).enough) {
    plan.would_do = *earlier;
  } else if (const Result<LeasePlan> other = ChoosePlan(inputs, same); other) {
    plan.would_do = other->times;
  }
  return plan;
}

}  // namespace tenure
