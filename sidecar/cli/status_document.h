// The status document of a sidecar, for people and for exit codes.
//
// Thread safety: pure function.
#ifndef TENURE_CLI_STATUS_DOCUMENT_H_
#define TENURE_CLI_STATUS_DOCUMENT_H_

#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

struct StatusSummary {
  std::string text;        // one line for each lease
  std::string json;        // the document, with what is no longer true undone
  std::string generation;  // of the one lease, while held; else ""
  int exit_code = 0;  // the highest of the leases'; of slots, held if one is
};

// `json` as GET /v1/status gives it: one document, or {"leases": [...]}. S1:
// `since_asked` is taken off what remains, and a lease of which nothing remains
// is uncertain. Errors: kInvalidArgument.
Result<StatusSummary> ReadStatusDocument(std::string_view json,
                                         Duration since_asked);

}  // namespace tenure

#endif  // TENURE_CLI_STATUS_DOCUMENT_H_
