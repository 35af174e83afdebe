// Reads metav1.MicroTime and metav1.Time: RFC 3339. base/rfc3339.h writes it.
#ifndef TENURE_KUBE_MICRO_TIME_H_
#define TENURE_KUBE_MICRO_TIME_H_

#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

// Zero to nine fractional digits and any offset, as the server may print.
// Errors: kInvalidArgument.
Result<WallTime> ParseMicroTime(std::string_view text);

}  // namespace tenure

#endif  // TENURE_KUBE_MICRO_TIME_H_
