// The figures of one status document, for a view that goes on counting.
//
// Thread safety: pure function.
#ifndef TENURE_CLI_STATUS_FIGURES_H_
#define TENURE_CLI_STATUS_FIGURES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

struct StatusFigures {
  std::string lease;  // namespace/name
  std::string certainty;
  std::string reason;
  std::string generation;  // while held
  std::string identity;
  std::string holder;
  std::string holder_generation;
  std::string refusal;
  bool draining = false;
  bool work_running = false;
  Duration to_renew_by{0};
  Duration to_valid_until{0};
  Duration lease_duration{0};
  Duration renew_deadline{0};
  Duration round_trip_last{0};
  Duration round_trip_p99{0};
  Duration margin{0};
  std::int64_t renewals = 0;
};

// `json` as GET /v1/status gives it for one lease; what is missing stays
// empty, what would steer a terminal is replaced. Errors: kInvalidArgument.
Result<StatusFigures> ReadStatusFigures(std::string_view json);

}  // namespace tenure

#endif  // TENURE_CLI_STATUS_FIGURES_H_
