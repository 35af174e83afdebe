// Time moved by hand, with all clocks in step.
#ifndef TENURE_TESTS_PASSING_TIME_H_
#define TENURE_TESTS_PASSING_TIME_H_

#include "sidecar/base/instant.h"

namespace tenure {

inline Instant Later(const Instant& instant, Duration by) {
  return Instant{instant.boot + by, instant.raw + by};
}

inline void PassTime(Moment* now, Duration by) {
  now->instant = Later(now->instant, by);
  now->wall.since_epoch +=
      std::chrono::duration_cast<std::chrono::microseconds>(by);
}

}  // namespace tenure

#endif  // TENURE_TESTS_PASSING_TIME_H_
