// Snapshots and moments for the tests of the local surface. All of them count
// from kBegin.
#ifndef TENURE_TESTS_UNIT_SERVER_SNAPSHOTS_H_
#define TENURE_TESTS_UNIT_SERVER_SNAPSHOTS_H_

#include <cstdint>
#include <string>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/base/instant.h"

namespace tenure {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Some time after boot, so that an instant of zero is long ago.
inline constexpr Duration kBegin = std::chrono::hours(1);

// `after` kBegin, with clocks that agree.
inline Moment At(Duration after) {
  Moment moment;
  moment.instant.boot = kBegin + after;
  moment.instant.raw = kBegin + after;
  moment.wall.since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::hours(500'000) + after);
  return moment;
}

inline AuthoritySnapshot Standby(const std::string& holder,
                                 std::int64_t holder_generation) {
  AuthoritySnapshot snapshot;
  snapshot.identity = "pod-a_uid_1";
  snapshot.settled = true;
  snapshot.server_seen = At(Duration{0}).instant;
  snapshot.silence_limit = seconds(15);
  snapshot.holder = holder;
  snapshot.holder_generation = holder_generation;
  snapshot.lease_duration_seconds = 15;
  snapshot.take_over_wait = milliseconds(15'150);
  snapshot.renew_deadline = seconds(10);
  snapshot.renew_interval = seconds(2);
  snapshot.try_limit = milliseconds(1500);
  return snapshot;
}

// Held until 10 s after kBegin, uncertain until 14.85 s.
inline AuthoritySnapshot Held(std::int64_t generation) {
  AuthoritySnapshot snapshot = Standby("pod-a_uid_1", generation);
  snapshot.term = TermSnapshot{generation, At(Duration{0}), seconds(10),
                               milliseconds(14'850), false};
  snapshot.last_renewal = At(Duration{0}).wall;
  snapshot.renewals = 7;
  snapshot.round_trip_last = std::chrono::microseconds(4'213);
  snapshot.round_trip_p99 = milliseconds(12);
  snapshot.margin = milliseconds(12'900);
  return snapshot;
}

inline AuthoritySnapshot Unsettled() { return AuthoritySnapshot{}; }

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_SERVER_SNAPSHOTS_H_
