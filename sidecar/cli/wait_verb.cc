// `tenure wait`: until the lease is held, or surely is not.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/local_watch.h"
#include "sidecar/cli/pause.h"
#include "sidecar/cli/sidecar_address.h"
#include "sidecar/cli/sidecar_answer.h"
#include "sidecar/cli/status_document.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A sidecar that is starting, or restarting, is waited for this long.
constexpr Duration kReach = seconds(10);
constexpr Duration kAskLimit = seconds(5);
constexpr Duration kReconnect = milliseconds(250);
// Where too many watch already, or any of several slots will do, and only then.
constexpr Duration kPoll = seconds(1);

std::vector<FlagSpec> WaitFlags() {
  std::vector<FlagSpec> flags{
      {"for", 0, "STATE", "held or standby.", "none; it must be given",
       "held|standby"},
      {"timeout", 't', "DURATION", "How long to wait. 0: no limit.", "0"}};
  std::ranges::move(AddressFlags(), std::back_inserter(flags));
  return flags;
}

class StateWait {
 public:
  StateWait(LocalAddress address, std::string query, int wanted,
            Duration timeout)
      : address_(std::move(address)),
        query_(std::move(query)),
        wanted_(wanted),
        timeout_(timeout),
        start_(ReadClocks().instant),
        reached_(start_) {}

  int Run() {
    while (true) {
      if (const std::optional<int> code = Watch()) return *code;
    }
  }

 private:
  // One stream of events, to its end.
  std::optional<int> Watch() {
    const Duration left = Left();
    if (left == Duration{0}) return OutOfTime();
    bool answered = false;
    // Opened anew now and then: each stream begins with what is so now, and a
    // sidecar that is stopped says nothing, as one does where nothing changes.
    const Result<void> watched =
        LocalWatch(address_, "/v1/watch" + query_, std::min(left, kAskLimit),
                   [this, &answered](const std::string& document) {
                     answered = true;
                     reached_ = ReadClocks().instant;
                     unreachable_.clear();
                     const auto told = ReadStatusDocument(document, Duration{});
                     return !told || !Matches(*told);
                   });
    // S1: an event is only a cue to ask.
    if (watched) return AskOnce(kReconnect);
    const Error& error = watched.error();
    if (error.code == ErrorCode::kDeadlineExceeded) {
      if (answered) return std::nullopt;
      return Unreachable("expected a sidecar to answer at " +
                         AddressText(address_) +
                         ", found silence: it may be stopped");
    }
    if (error.code == ErrorCode::kThrottled) return AskOnce(kPoll);
    // A stream has to name one of several slots; a question need not.
    if (error.code == ErrorCode::kInvalidArgument) return AskOnce(kPoll);
    return Unreachable(error.message);
  }

  // The route that answers, where no lease is named, for the slot that is held.
  std::optional<int> AskOnce(Duration pause_after) {
    const Result<SidecarAnswer> answer =
        AskSidecar(address_, "/v1/generation" + query_,
                   std::min(kAskLimit, std::max(Left(), Duration(kReconnect))));
    if (!answer) {
      if (answer.error().code != ErrorCode::kInvalidArgument) {
        return Unreachable(answer.error().message);
      }
      PrintProblem(answer.error().message);
      return kExitUsage;
    }
    reached_ = ReadClocks().instant;
    unreachable_.clear();
    if (Matches(answer->summary)) {
      std::printf("%s\n", situation_.c_str());
      return kExitOk;
    }
    Pause(std::min(pause_after, Left()));
    return std::nullopt;
  }

  std::optional<int> Unreachable(const std::string& why) {
    unreachable_ = why;
    const Instant now = ReadClocks().instant;
    if (LongestElapsed(reached_, now) >= kReach || Left() == Duration{0}) {
      PrintProblem(why);
      return kExitUnreachable;
    }
    Pause(std::min(kReconnect, Left()));
    return std::nullopt;
  }

  bool Matches(const StatusSummary& summary) {
    situation_ = summary.text.substr(0, summary.text.find('\n'));
    return summary.exit_code == wanted_;
  }

  int OutOfTime() const {
    if (!unreachable_.empty()) {
      PrintProblem(unreachable_);
      return kExitUnreachable;
    }
    PrintProblem(
        std::string("expected ") + (wanted_ == kExitHeld ? "held" : "standby") +
        " in time, found " + (situation_.empty() ? "no answer" : situation_));
    return kExitNotInTime;
  }

  Duration Left() const {
    if (timeout_ == Duration{0}) return std::chrono::hours(8784);
    const Instant now = ReadClocks().instant;
    return std::max(timeout_ - LongestElapsed(start_, now), Duration{0});
  }

  const LocalAddress address_;
  const std::string query_;
  const int wanted_;  // as `status` exits
  const Duration timeout_;
  const Instant start_;
  Instant reached_;          // the last sign of a sidecar
  std::string situation_;    // the last answer, in a line
  std::string unreachable_;  // why; empty: it is not
};

int Refuse(const std::string& text) {
  PrintProblem(text);
  return kExitUsage;
}

}  // namespace

int RunWait(const VerbCall& call) {
  const auto flags = TakeFlags(call, WaitFlags(), &WaitHelp, 0);
  if (!flags) return flags.error();
  const std::string state = FlagValue(*flags, "for", "");
  if (state != "held" && state != "standby") {
    return Refuse("--for: expected held or standby, found \"" + state + "\"");
  }
  const Result<Duration> timeout = DurationFlag(*flags, "timeout", "0");
  if (!timeout) return Refuse(timeout.error().message);
  const Result<LocalAddress> address = AskedAddress(*flags, call.environment);
  if (!address) return Refuse(address.error().message);
  const Result<std::string> query = AskedTarget(*flags, "");
  if (!query) return Refuse(query.error().message);
  return StateWait(*address, *query, state == "held" ? kExitHeld : kExitStandby,
                   *timeout)
      .Run();
}

VerbHelp WaitHelp() {
  return HelpText(
      "wait --for=held|standby [FLAGS]",
      "Waits until a sidecar answers so, and prints that answer. It may have\n"
      "changed by the time it is read: use `tenure exec` to run work, and\n"
      "attach the generation to every write.\n"
      "\n"
      "Exits 0 once reached; 75 if not in time, though a sidecar answered; 69\n"
      "if none answers, as one that is stopped does not, for 10s or until the\n"
      "timeout; 64 for wrong usage.\n",
      WaitFlags(), "  tenure wait --for=held --timeout 2m\n");
}

}  // namespace tenure
