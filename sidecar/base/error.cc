#include "sidecar/base/error.h"

namespace tenure {

const char* ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalidArgument";
    case ErrorCode::kNotFound:
      return "notFound";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kUnauthenticated:
      return "unauthenticated";
    case ErrorCode::kForbidden:
      return "forbidden";
    case ErrorCode::kThrottled:
      return "throttled";
    case ErrorCode::kNotSent:
      return "notSent";
    case ErrorCode::kOutcomeUnknown:
      return "outcomeUnknown";
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kDeadlineExceeded:
      return "deadlineExceeded";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace tenure
