// What a running sidecar measured, from its status document: `plan --observe`.
//
// Thread safety: pure function.
#ifndef TENURE_CLI_OBSERVED_TIMES_H_
#define TENURE_CLI_OBSERVED_TIMES_H_

#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

struct ObservedTimes {
  Duration lease_duration{0};
  Duration renew_deadline{0};
  Duration renew_interval{0};  // as tuned at that moment
  Duration round_trip_p99{0};  // 0: nothing measured yet
  Duration pause_p99{0};
};

// `json` as GET /v1/status gives it for one lease. Errors: kInvalidArgument,
// also if it tells of several.
Result<ObservedTimes> ReadObservedTimes(std::string_view json);

}  // namespace tenure

#endif  // TENURE_CLI_OBSERVED_TIMES_H_
