// Reads the time formats of the API: metav1.MicroTime (exactly six fractional
// digits), metav1.Time, Go durations in ?timeout=; base/rfc3339.h writes times.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_LEASE_TIME_H_
#define TENURE_EMBEDDED_LEASE_TIME_H_

#include <expected>
#include <string>
#include <string_view>

#include "sidecar/base/instant.h"

namespace tenure::embedded {

// The error is Go's message, as kube-apiserver passes it on.
std::expected<WallTime, std::string> ParseMicroTime(std::string_view text);
std::expected<WallTime, std::string> ParseSecondsTime(std::string_view text);

// "1.5s", "-2m", "0". The error is Go's message.
std::expected<Duration, std::string> ParseGoDuration(std::string_view text);

// How kubectl prints an age: "5s", "3m20s", "4h5m", "12d".
std::string FormatAge(Duration age);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_TIME_H_
