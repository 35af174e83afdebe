// AuthorityOptions: the settings of one lease's authority, already validated
// (renewal_schedule.h has the checks).
#ifndef TENURE_AUTHORITY_AUTHORITY_OPTIONS_H_
#define TENURE_AUTHORITY_AUTHORITY_OPTIONS_H_

#include <cstdint>
#include <string>

#include "sidecar/base/instant.h"

namespace tenure {

// The times of one lease, as in client-go; design, "Time".
struct LeaseTimes {
  std::int32_t lease_duration_seconds = 15;            // D
  Duration renew_deadline = std::chrono::seconds(10);  // R
  Duration renew_interval = std::chrono::seconds(2);   // P, upper bound
  // Bounds the tuning keeps to. 0: derived, see EffectiveTimes.
  Duration min_renew_interval{0};
  Duration min_try_limit{0};
  Duration max_try_limit{0};
  // rho, in parts per million: how much faster another machine's clock may run.
  std::int32_t drift_ppm = 10'000;
  // client-go electors on the same Lease compare times cut to whole seconds and
  // allow no drift; valid_until is shortened for them.
  bool foreign_contenders = false;
};

enum class AbsentLease {
  kWait,  // counts as held from when we saw it missing (S9)
  kTake,  // rely on the fence alone; right for a fresh embedded server
};

struct AuthorityOptions {
  // <pod>_<pod uid>_<random per process>, compared whole. REQUIRES: not empty.
  std::string identity;
  LeaseTimes times;
  AbsentLease absent_lease = AbsentLease::kWait;
  // 0: none. A witness; set by hand it also replaces a malformed annotation.
  std::int64_t min_generation = 0;
  // A recorded D above this is still waited for, and named (design, "Time").
  Duration max_foreign_duration = std::chrono::minutes(10);
  std::uint64_t jitter_seed = 0;
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_AUTHORITY_OPTIONS_H_
