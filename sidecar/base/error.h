// Error: what an operation that can fail for outside reasons returns.
//
// Code branches on `code`, never on `message`. The message is one line for a
// person: what was expected, what was found, what to do.
#ifndef TENURE_BASE_ERROR_H_
#define TENURE_BASE_ERROR_H_

#include <expected>
#include <string>

namespace tenure {

enum class ErrorCode {
  kInvalidArgument,   // input that no retry can make valid
  kNotFound,          // 404, or a file that is not there
  kConflict,          // 409: the compare-and-swap lost
  kUnauthenticated,   // 401: credentials refused
  kForbidden,         // 403: RBAC
  kThrottled,         // 429, or 503 with Retry-After: not applied
  kNotSent,           // nothing left this machine: certainly not applied
  kOutcomeUnknown,    // sent, and no trustworthy answer: perhaps applied (S5)
  kRefused,           // any other definite 4xx: not applied
  kUnavailable,       // a local resource is missing (socket, file, port)
  kDeadlineExceeded,  // a local wait ended
  kInternal,
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// The code's name as logs and metrics print it: "conflict", "outcomeUnknown".
const char* ErrorCodeName(ErrorCode code);

}  // namespace tenure

#endif  // TENURE_BASE_ERROR_H_
