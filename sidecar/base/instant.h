// Instant, Duration, WallTime, Moment: three kinds of time that do not mix.
//
// Durations are nanoseconds. An Instant carries two readings of one moment,
// CLOCK_BOOTTIME (runs through suspension, is slewed by NTP) and
// CLOCK_MONOTONIC_RAW (is not slewed, stops in suspension); it has no order and
// no subtraction, because who asks decides which reading counts (design,
// "Time"): a holder must not believe less time passed than did, a contender
// must not believe more. WallTime only stamps records and logs.
//
// Thread safety: values.
#ifndef TENURE_BASE_INSTANT_H_
#define TENURE_BASE_INSTANT_H_

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace tenure {

using Duration = std::chrono::nanoseconds;

struct Instant {
  Duration boot{0};
  Duration raw{0};

  friend bool operator==(const Instant&, const Instant&) = default;
};

// The most time that can have passed between two instants of this machine:
// what a holder counts (S2). Never negative.
constexpr Duration LongestElapsed(const Instant& from, const Instant& to) {
  return std::max({to.boot - from.boot, to.raw - from.raw, Duration{0}});
}

// The least time that can have passed: what a contender counts (S2). Never
// negative.
constexpr Duration ShortestElapsed(const Instant& from, const Instant& to) {
  return std::max(std::min(to.boot - from.boot, to.raw - from.raw),
                  Duration{0});
}

// Microseconds since the Unix epoch, UTC: what MicroTime can carry.
struct WallTime {
  std::chrono::microseconds since_epoch{0};

  friend auto operator<=>(const WallTime&, const WallTime&) = default;
};

// All clocks, read together.
struct Moment {
  Instant instant;
  WallTime wall;
};

// By how much the wall clock ran ahead of the boot clock between two moments.
// Negative if it fell behind. More than a leap second means that a pause was
// hidden from the boot clock, as in a paused virtual machine.
constexpr Duration WallAhead(const Moment& from, const Moment& to) {
  return (to.wall.since_epoch - from.wall.since_epoch) -
         (to.instant.boot - from.instant.boot);
}

// 128 bits from the operating system, fresh for each step. The core never
// makes its own: a cloned process would repeat them (S5).
using Entropy = std::array<std::uint64_t, 2>;

}  // namespace tenure

#endif  // TENURE_BASE_INSTANT_H_
