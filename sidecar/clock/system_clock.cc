#include "sidecar/clock/system_clock.h"

#include <sys/random.h>
#include <time.h>

#include <cerrno>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

Duration Read(clockid_t id) {
  timespec value{};
  CHECK(clock_gettime(id, &value) == 0);
  return std::chrono::seconds(value.tv_sec) +
         std::chrono::nanoseconds(value.tv_nsec);
}

}  // namespace

Moment ReadClocks() {
  Moment now;
  now.instant.boot = Read(CLOCK_BOOTTIME);
  now.instant.raw = Read(CLOCK_MONOTONIC_RAW);
  now.wall.since_epoch = std::chrono::duration_cast<std::chrono::microseconds>(
      Read(CLOCK_REALTIME));
  return now;
}

Entropy ReadEntropy() {
  Entropy bits{};
  // Up to 256 bytes come whole or not at all; only a signal that arrives
  // before the pool is first filled can interrupt.
  ssize_t got = -1;
  do {
    got = getrandom(bits.data(), sizeof bits, 0);
  } while (got < 0 && errno == EINTR);
  CHECK(got == static_cast<ssize_t>(sizeof bits));
  return bits;
}

}  // namespace tenure
