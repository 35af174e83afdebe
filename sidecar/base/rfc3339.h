// RFC 3339, the one text form of wall time here: in the Lease, in the local
// API's documents and in the embedded server's answers.
//
// Thread safety: pure functions.
#ifndef TENURE_BASE_RFC3339_H_
#define TENURE_BASE_RFC3339_H_

#include <string>

#include "sidecar/base/instant.h"

namespace tenure {

// UTC. Years 1 to 9999, which is what RFC 3339 can write; others are clamped.

// "2026-11-29T20:48:00.123456Z": exactly six fractional digits, because the API
// server refuses any other number of them.
std::string FormatMicroTime(WallTime time);
// "2026-11-29T20:48:00Z": cut to the whole second.
std::string FormatSecondsTime(WallTime time);

}  // namespace tenure

#endif  // TENURE_BASE_RFC3339_H_
