#include "sidecar/gate/boot_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "sidecar/base/check.h"

namespace tenure {

BootTimer::BootTimer()
    : timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  CHECK(timer_.get() >= 0);
}

void BootTimer::Arm(Duration after) {
  itimerspec spec{};
  if (after != Duration::max()) {
    // Zero would disarm it.
    after = std::max(after, Duration{1});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(after);
    spec.it_value.tv_sec = seconds.count();
    spec.it_value.tv_nsec = (after - seconds).count();
  }
  CHECK(::timerfd_settime(timer_.get(), 0, &spec, nullptr) == 0);
}

void BootTimer::Clear() {
  std::uint64_t expirations = 0;
  [[maybe_unused]] const ssize_t got =
      ::read(timer_.get(), &expirations, sizeof expirations);
}

}  // namespace tenure
