// The store protocol, version 1: what a writer asks a protected store, and what
// it answers, each one JSON object a line (docs/drill.md).
//
// Thread safety: values and pure functions.
#ifndef TENURE_DRILL_STORE_MESSAGE_H_
#define TENURE_DRILL_STORE_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

inline constexpr std::size_t kMaxStoreLine = 64 * 1024;

struct StoreRequest {
  enum class Op { kReset, kRaise, kWrite, kRead };
  Op op = Op::kRead;
  std::string resource;  // at most 200 bytes of [A-Za-z0-9._:-]
  std::int64_t token = 0;
  std::string holder;
  std::string id;  // of a write; the same one again is applied once
  std::string value;
  bool fenced = true;  // false: written whatever the token
};

struct StoreAnswer {
  enum class Result { kOk, kAccepted, kRefused, kUnknown, kError };
  Result result = Result::kUnknown;
  std::int64_t token = 0;  // the highest the store knows
  std::string holder;      // to a read
  std::string value;
  std::int64_t writes = -1;  // applied since the reset; below 0: not told
  std::string error;         // one line
};

const char* StoreOpName(StoreRequest::Op op);

// Without the end of the line.
std::string RequestLine(const StoreRequest& request);
std::string AnswerLine(const StoreAnswer& answer);

// Errors: kInvalidArgument, one line with what was expected.
Result<StoreRequest> ReadRequestLine(std::string_view line);
Result<StoreAnswer> ReadAnswerLine(std::string_view line);

}  // namespace tenure

#endif  // TENURE_DRILL_STORE_MESSAGE_H_
