// The frame of `--watch`: an answer for each event of a sidecar.
//
// Thread safety: the main thread only; waits.
#ifndef TENURE_CLI_ANSWER_WATCH_H_
#define TENURE_CLI_ANSWER_WATCH_H_

#include <functional>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/local_watch.h"
#include "sidecar/cli/output_format.h"
#include "sidecar/cli/sidecar_answer.h"

namespace tenure {

struct AnswerWatch {
  std::string route;  // "/v1/status" or "/v1/generation"
  std::string query;  // "" or "?lease=NAME"
  // For the first answer. What follows comes when it comes, so a silence after
  // it says nothing.
  Duration first_limit{0};
  // False: the output is gone. An error ends the watch as an answer that was
  // none.
  std::function<Result<bool>(const SidecarAnswer& answer)> take;
  // Before it is said that nobody answers any more; never if nobody ever did.
  std::function<void()> lost = [] {};
  WatchTick tick;
};

// Until the output or the sidecar is gone: the exit code then.
int WatchAnswers(const LocalAddress& address, const AnswerWatch& watch);

// As one of several documents. False: the output is gone.
bool PrintDocument(const StatusSummary& summary, OutputFormat format);

}  // namespace tenure

#endif  // TENURE_CLI_ANSWER_WATCH_H_
