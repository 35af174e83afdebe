// The only calls of the operating system's clocks and random source.
// Thread safety: any thread.
#ifndef TENURE_CLOCK_SYSTEM_CLOCK_H_
#define TENURE_CLOCK_SYSTEM_CLOCK_H_

#include "sidecar/base/instant.h"

namespace tenure {

// CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW and CLOCK_REALTIME, read one after the
// other: a pause between them makes a holder count more time, never less.
Moment ReadClocks();

// 128 bits from getrandom(2).
Entropy ReadEntropy();

}  // namespace tenure

#endif  // TENURE_CLOCK_SYSTEM_CLOCK_H_
