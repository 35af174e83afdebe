// The query part of a request target.
//
// Thread safety: pure functions.
#ifndef TENURE_SERVER_QUERY_H_
#define TENURE_SERVER_QUERY_H_

#include <optional>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

// The value of `name` in `query` ("a=1&b=2"), decoded; nothing if it is not
// there. Errors: kInvalidArgument if it is there twice, or broken escapes.
Result<std::optional<std::string>> QueryValue(std::string_view query,
                                              std::string_view name);

// Whether `name` asks for yes: "true", "1" or no value at all. Absent, "false"
// and "0" are no. Errors: kInvalidArgument for anything else.
Result<bool> QueryFlag(std::string_view query, std::string_view name);

}  // namespace tenure

#endif  // TENURE_SERVER_QUERY_H_
