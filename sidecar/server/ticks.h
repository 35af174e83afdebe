// Waits counted in sweeps: a connection's deadline is one integer, and no
// request costs a timer.
//
// Thread safety: pure function.
#ifndef TENURE_SERVER_TICKS_H_
#define TENURE_SERVER_TICKS_H_

#include <cstdint>

#include "sidecar/base/instant.h"

namespace tenure {

// How many sweeps `wait` lasts: rounded up, and one more because the first is
// a part of one.
constexpr std::uint64_t Ticks(Duration wait, Duration sweep) {
  return static_cast<std::uint64_t>((wait + sweep - Duration{1}) / sweep) + 1;
}

}  // namespace tenure

#endif  // TENURE_SERVER_TICKS_H_
