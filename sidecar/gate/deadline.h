// Deadline: a moment this machine can name only as "so long after that".
//
// Thread safety: values.
#ifndef TENURE_GATE_DEADLINE_H_
#define TENURE_GATE_DEADLINE_H_

#include <algorithm>

#include "sidecar/base/instant.h"

namespace tenure {

struct Deadline {
  Instant from;
  Duration after{0};

  // By the most time that can have passed (S2): whoever waits for it must not
  // believe that less did.
  bool Passed(const Instant& now) const {
    return LongestElapsed(from, now) >= after;
  }
  // Never negative.
  Duration Remaining(const Instant& now) const {
    return std::max(after - LongestElapsed(from, now), Duration{0});
  }
};

// Whichever is still further away: of two lower bounds the better one.
inline const Deadline& Later(const Deadline& a, const Deadline& b,
                             const Instant& now) {
  return b.Remaining(now) > a.Remaining(now) ? b : a;
}

}  // namespace tenure

#endif  // TENURE_GATE_DEADLINE_H_
