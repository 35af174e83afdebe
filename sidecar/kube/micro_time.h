// metav1.MicroTime: RFC 3339 in UTC with exactly six fractional digits; the
// API server refuses milliseconds (kubernetes-facts, 3).
#ifndef TENURE_KUBE_MICRO_TIME_H_
#define TENURE_KUBE_MICRO_TIME_H_

#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

// "2026-11-29T20:48:00.123456Z". Years 1 to 9999; others are clamped.
std::string FormatMicroTime(WallTime time);

// Zero to nine fractional digits and any offset, as the server may print.
// Errors: kInvalidArgument.
Result<WallTime> ParseMicroTime(std::string_view text);

}  // namespace tenure

#endif  // TENURE_KUBE_MICRO_TIME_H_
