// Durations as people write them: Go's form, "1m30s", "500ms", "0".
//
// Thread safety: pure functions.
#ifndef TENURE_CONFIG_DURATION_TEXT_H_
#define TENURE_CONFIG_DURATION_TEXT_H_

#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

// Numbers with a unit each (h, m, s, ms, us, ns), added up; or "0". Never
// negative, at most a year. Errors: kInvalidArgument, with the text found.
Result<Duration> ParseDuration(std::string_view text);

// The shortest text ParseDuration reads back as the same value.
std::string FormatDuration(Duration value);

}  // namespace tenure

#endif  // TENURE_CONFIG_DURATION_TEXT_H_
