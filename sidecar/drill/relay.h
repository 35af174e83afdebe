// The relay between a contender and the API server: bytes in both directions.
// Stopped (SIGSTOP) it is a network that has gone silent, and what was on its
// way arrives when it goes on; killed, it is a server that went away.
//
// Thread safety: the main thread of its process.
#ifndef TENURE_DRILL_RELAY_H_
#define TENURE_DRILL_RELAY_H_

#include <cstdint>

namespace tenure {

// From `port` of 127.0.0.1 (0: any free one; the first line on stdout says
// which) to `target`. Relays until it is killed; an exit code if it cannot.
int RunDrillRelay(std::uint16_t port, std::uint16_t target);

}  // namespace tenure

#endif  // TENURE_DRILL_RELAY_H_
