// One status document of a sidecar, asked for and aged (S1).
//
// Thread safety: any thread; waits for the answer.
#ifndef TENURE_CLI_SIDECAR_ANSWER_H_
#define TENURE_CLI_SIDECAR_ANSWER_H_

#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/status_document.h"

namespace tenure {

struct SidecarAnswer {
  StatusSummary summary;
  Instant as_of;  // what remains was reckoned for then
};

// `target`: /v1/status or /v1/generation. Errors: kUnavailable if nobody
// answers, or no sidecar does; kInvalidArgument if it refuses the question.
Result<SidecarAnswer> AskSidecar(const LocalAddress& address,
                                 const std::string& target, Duration limit);

}  // namespace tenure

#endif  // TENURE_CLI_SIDECAR_ANSWER_H_
