// The status document of a sidecar, for people and for exit codes.
//
// Thread safety: pure function.
#ifndef TENURE_CLI_STATUS_DOCUMENT_H_
#define TENURE_CLI_STATUS_DOCUMENT_H_

#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

struct StatusSummary {
  std::string text;   // one line for each lease
  int exit_code = 0;  // the highest of the leases'
};

// `json` as GET /v1/status gives it: one document, or {"leases": [...]}.
// Errors: kInvalidArgument.
Result<StatusSummary> ReadStatusDocument(std::string_view json);

}  // namespace tenure

#endif  // TENURE_CLI_STATUS_DOCUMENT_H_
