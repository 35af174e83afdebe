// LeasePlan: how long a lease should be, what one survives, and what it costs.
// Arithmetic only: `tenure plan` before a sidecar runs, with the functions
// that the running sidecar counts by, so that the two cannot disagree.
//
// The sum: on one claim must fit the longest step of the work, a pause, a late
// answer, the time since the last renewal, and a safety margin. What the
// margin is worth is known after two allowances: jitter, because a p99 is
// exceeded once in a hundred times, and drift, because the holder stops early
// by as much as its clock may be slow. Work may also begin as late as the renew
// deadline, while the answer is still held: it must end before the claim, so
// the stop budget must hold its longest step, too.
//
// Thread safety: pure functions.
// Invariants: what ChoosePlan chooses, CheckPlan with the same inputs accepts,
// and `tenure run` takes.
#ifndef TENURE_PLANNING_LEASE_PLAN_H_
#define TENURE_PLANNING_LEASE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/authority/authority_options.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

inline constexpr std::int64_t kMostPlannedLeases = 1'000'000;

struct PlanInputs {
  Duration p99_work{0};  // the longest step that must end on one claim
  Duration p99_pause{0};
  Duration max_network_delay{0};
  // None: room for one more try, RenewalSchedule's spacing and a network delay.
  std::optional<Duration> safety_margin;
  std::optional<Duration> job_timeout;
  std::int64_t leases = 1;
};

// Each is how long something may last; 0: nothing is left for it.
struct Survival {
  // Of the API server, whenever in the cycle it begins (one try of its end is
  // allowed for): with the answer still held, and with the term still alive.
  Duration outage_held{0};
  Duration outage_claim{0};
  // Of the sidecar, beginning when a renewal is due.
  Duration pause_held{0};
  Duration pause_claim{0};
  Duration stop_budget{0};  // between being told to stop and the claim's end
  // From the last renewal of a holder that died until another holds:
  // D x (1 + drift), and a round trip. Counted from the crash it is up to a
  // renew interval less.
  Duration recovery{0};
};

struct LeasePlan {
  PlanInputs inputs;
  LeaseTimes times;            // as a sidecar would run
  bool chosen = false;         // the duration was computed, not given
  Duration safety_margin{0};   // asked for, or one more try
  Duration minimum{0};         // the sum, safety margin included
  Duration margin{0};          // D less the sum without safety margin
  Duration jitter{0};          // allowance
  Duration drift{0};           // allowance: D - ValidFor
  Duration left{0};            // margin less both
  bool stops_in_time = false;  // stop budget >= p99 work
  bool enough = false;         // stops_in_time, and left >= safety_margin
  // What would do: `times` if enough, else the same duration with another
  // renew deadline, else the rounded choice. None: no duration would.
  std::optional<LeaseTimes> would_do;
  Survival survival;
  double requests_per_hour = 0;  // a held lease, every interval
  double most_requests_per_hour =
      0;  // each started as early as jitter makes it
  std::vector<std::string> warnings;  // one line each
};

// The renew deadline that suits: two thirds of the lease duration, or earlier
// if the work needs longer than the rest to end; where that leaves no time to
// renew, two thirds all the same, which CheckPlan then finds too small. `times`
// may have everything else set. Errors: kInvalidArgument, with the arithmetic,
// as a sidecar would refuse two thirds.
Result<LeaseTimes> WithSuitableDeadline(LeaseTimes times, Duration p99_work);

// `times` came from EffectiveTimes (or the function above).
LeasePlan CheckPlan(const PlanInputs& inputs, const LeaseTimes& times);

// The least rounded lease duration that holds `inputs`; of `times` the renew
// interval and what concerns clocks count. Whole seconds up to 10 s, then
// steps of 5 s, from a minute on of 10 s, from five minutes on of a minute.
// Errors: kInvalidArgument if none up to a week does.
Result<LeasePlan> ChoosePlan(const PlanInputs& inputs, const LeaseTimes& times);

}  // namespace tenure

#endif  // TENURE_PLANNING_LEASE_PLAN_H_
