// The JSON documents of the local surface. Generations are strings in JSON.
//
// Thread safety: pure functions.
#ifndef TENURE_SERVER_DOCUMENTS_H_
#define TENURE_SERVER_DOCUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/server/sight.h"

namespace tenure {

// The status document of one lease, without a newline.
std::string StatusJson(const Sight& sight, const LeaseSight& lease);

// {"leases": [...]}: all of them.
std::string AllStatusJson(const Sight& sight);

// What a control request is answered with: lease, certainty, generation while
// held, remainingMs, workRunning, draining.
std::string AuthorityJson(const Sight& sight, const LeaseSight& lease);

std::string ErrorJson(std::string_view text);

// What stands under `key` in the JSON object `body`: a string or a number;
// nothing if it is not there.
// Errors: kInvalidArgument, saying what was expected and found.
Result<std::optional<std::string>> OptionalBodyField(std::string_view body,
                                                     std::string_view key);
// As that; one that is not there is an error, too.
Result<std::string> BodyField(std::string_view body, std::string_view key);

}  // namespace tenure

#endif  // TENURE_SERVER_DOCUMENTS_H_
