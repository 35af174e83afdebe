#include "sidecar/cli/answer_watch.h"

#include <chrono>
#include <cstdio>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/standard_output.h"
#include "sidecar/cli/verb_flags.h"

namespace tenure {
namespace {

constexpr Duration kNoLimit = std::chrono::hours(8784);
constexpr Duration kAskLimit = std::chrono::seconds(5);

}  // namespace

int WatchAnswers(const LocalAddress& address, const AnswerWatch& watch) {
  // A stream of one that is stopped is silent, and could be so for ever.
  const Result<SidecarAnswer> first =
      AskSidecar(address, watch.route + watch.query, watch.first_limit);
  if (!first && first.error().code != ErrorCode::kInvalidArgument) {
    PrintProblem(first.error().message);
    return kExitUnreachable;
  }
  int code = kExitOk;
  bool answered = false;
  const auto on_event = [&](const std::string&) {
    answered = true;
    // S1: an event is only a cue to ask.
    const Result<SidecarAnswer> answer =
        AskSidecar(address, watch.route + watch.query, kAskLimit);
    const Result<bool> more =
        answer ? watch.take(*answer) : std::unexpected(answer.error());
    if (more) return *more;
    watch.lost();
    PrintProblem(more.error().message);
    code = kExitUnreachable;
    return false;
  };
  const Result<void> watched = LocalWatch(address, "/v1/watch" + watch.query,
                                          kNoLimit, on_event, watch.tick);
  // Stopped, then, by an answer that was none or an output that is gone.
  if (watched) return code;
  if (answered) watch.lost();
  PrintProblem(watched.error().message);
  return watched.error().code == ErrorCode::kInvalidArgument ? kExitUsage
                                                             : kExitUnreachable;
}

bool PrintDocument(const StatusSummary& summary, OutputFormat format) {
  if (format == OutputFormat::kYaml) std::fputs("---\n", stdout);
  std::fputs(Formatted(summary, format).c_str(), stdout);
  return FlushOutput();
}

}  // namespace tenure
