#include "sidecar/gate/gated_run.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/authority/run_id.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/gate/boot_timer.h"
#include "sidecar/gate/command_run.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/ending.h"
#include "sidecar/gate/exit_codes.h"
#include "sidecar/gate/granted_command.h"
#include "sidecar/gate/guard.h"
#include "sidecar/gate/report.h"
#include "sidecar/gate/sidecar_talk.h"
#include "sidecar/gate/signals.h"
#include "sidecar/gate/waiter.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// How often the state is asked for while waiting: without events, and with
// them in case one is missed.
constexpr Duration kLook = milliseconds(500);
constexpr Duration kLookWatching = seconds(5);
constexpr Duration kWorkAgain = milliseconds(50);
// The shortest and longest time between two looks while a command runs.
constexpr Duration kLeastLook = milliseconds(20);
constexpr Duration kMostLook = seconds(5);
// A sidecar of our own that does not end after SIGTERM is killed.
constexpr Duration kSidecarEnd = seconds(10);

class GatedRun {
 public:
  explicit GatedRun(const GateOptions& options)
      : options_(options),
        waiter_(options.waiting, ReadClocks().instant),
        talk_(options.control_socket, options.lease),
        once_(NewWorkRun(options.ending.once, ReadEntropy())) {
    // Orphans come here if the watchdog is killed.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  int Run() {
    while (true) {
      // Deadlines before anything that was said: this process may have been
      // stopped for any length of time.
      Act();
      if (exit_code_) break;
      SendQuestion();
      Wait();
      Act();
      TakeSignals();
      ReapChildren();
      TakeNews();
      TakeAnswer();
    }
    if (run_) run_->ReapWatchdog();
    ReapChildren();
    EndOwnSidecar();
    for (const std::string& line : lines_) options_.say(line);
    return *exit_code_;
  }

 private:
  Instant Now() const { return ReadClocks().instant; }

  // At the very end: a reader that takes no more would keep us from guarding.
  void Say(std::string line) {
    if (!line.empty()) lines_.push_back(std::move(line));
  }

  // What is due by now.
  void Act() {
    if (exit_code_) return;
    if (ending_) return ActEnding();
    if (!guard_) return ActWaiting();
    run_->CarryOut(guard_->Decide(Now()), Spared(), &*guard_);
    if (guard_->gone()) BeginEnding();
  }

  void ActWaiting() {
    // Work that is being registered is not left behind: its answer decides.
    if (work_asked_) return;
    if (const auto end = waiter_.Decide(Now())) {
      Say(end->message);
      exit_code_ = end->exit_code;
    } else if (const auto generation = waiter_.TakeWork()) {
      work_asked_ = true;
      AskControl(Heard::Kind::kWork, *generation);
    }
  }

  void BeginEnding() {
    const int code = ExitCode();
    EndingOptions ending = options_.ending;
    ending.told_to_stop = told_to_stop_;
    ending_.emplace(ending, grant_, code, !guard_->loss().empty());
    // The command may have run for longer than what the grant told of.
    if (latest_) ending_->OnReport(*latest_, Now());
    ActEnding();
  }

  void ActEnding() {
    switch (ending_->Decide(Now())) {
      case Ending::Step::kWait:
        return;
      case Ending::Step::kRecord:
        return talk_.AskControl(Heard::Kind::kRun, grant_.generation,
                                state_.lease, WorkRun{once_.id, ""});
      case Ending::Step::kReport:
        talk_.StopAsking();
        return AskControl(Heard::Kind::kDone, grant_.generation);
      case Ending::Step::kEnd:
        Say(ending_->trouble());
        exit_code_ = ending_->exit_code();
        return;
    }
  }

  void AskControl(Heard::Kind kind, std::int64_t generation) {
    talk_.AskControl(kind, generation, state_.lease, once_);
  }

  pid_t Spared() const { return own_sidecar_ended_ ? 0 : options_.own_sidecar; }

  void SendQuestion() {
    if (const auto heard = talk_.Send(Now())) Hear(*heard);
  }

  void Wait() {
    const Instant now = Now();
    Duration next = talk_.NextDeadline(now);
    if (ending_) {
      next = std::min(next, ending_->NextDeadline(now));
    } else if (guard_) {
      next = std::min(next, guard_->NextDeadline(now));
      if (run_->orphaned()) next = std::min<Duration>(next, kLeastLook);
    } else if (!work_asked_) {
      next = std::min(next, waiter_.NextDeadline(now));
    }
    timer_.Arm(next);
    std::array<pollfd, 5> fds = {
        pollfd{timer_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0},
        pollfd{talk_.link_fd(), POLLIN, 0}, pollfd{talk_.feed_fd(), POLLIN, 0},
        // The watchdog that has ended has nothing to say, over and over.
        pollfd{run_ && !ending_ ? run_->fd() : -1, POLLIN, 0}};
    ::poll(fds.data(), fds.size(), -1);
    timer_.Clear();
  }

  void TakeSignals() {
    for (const int signal : signals_.Take()) {
      if (ending_) {
        if (EndsPrograms(signal)) ending_->OnSignal();
      } else if (guard_) {
        guard_->OnSignal(signal);
        if (EndsPrograms(signal)) told_to_stop_ = signal;
      } else {
        waiter_.OnSignal(signal);
      }
    }
  }

  // As PID 1 also what others left behind.
  void ReapChildren() {
    int status = 0;
    for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0;
         pid = ::waitpid(-1, &status, WNOHANG)) {
      if (run_) run_->NoteReaped(pid);
      if (pid == options_.own_sidecar) OwnSidecarEnded(status);
    }
  }

  void OwnSidecarEnded(int status) {
    own_sidecar_ended_ = true;
    if (guard_ || exit_code_) return;
    // It said why.
    exit_code_ = WIFEXITED(status) && WEXITSTATUS(status) != 0
                     ? WEXITSTATUS(status)
                     : kGateOwnFailure;
  }

  void TakeNews() {
    if (run_) run_->TakeNews(Now(), &*guard_);
  }

  void TakeAnswer() {
    if (const auto heard = talk_.Receive(Now())) Hear(*heard);
  }

  void Hear(const Heard& heard) {
    switch (heard.kind) {
      case Heard::Kind::kState:
        return HearState(heard);
      case Heard::Kind::kWork:
        return HearWork(heard);
      case Heard::Kind::kRun:
      case Heard::Kind::kDone:
        return HearEnding(heard);
    }
  }

  // In a term no answer extends nothing: the deadline already known stands.
  void HearNoState(const Heard& heard) {
    if (guard_) return;
    if (heard.status >= 400 && heard.status < 500) {
      waiter_.OnRefused(ReadError(heard.text) + (options_.lease.empty()
                                                     ? "; name one with --lease"
                                                     : ""));
    } else {
      waiter_.OnUnreachable(ReadError(heard.text), Now());
    }
  }

  void HearState(const Heard& heard) {
    Result<Report> report = ReadReport(heard.text, heard.asked);
    const Instant now = Now();
    if (!report) {
      HearNoState(heard);
      return talk_.AskAgain(now, kLook);
    }
    if (!guard_) {
      waiter_.OnReport(*report);
      state_ = *std::move(report);
      // The end of another start's run is no event of the lease.
      const bool told = talk_.feed_fd() >= 0 && !waiter_.UnderWay();
      return talk_.AskAgain(now, told ? kLookWatching : kLook);
    }
    latest_ = *report;
    if (ending_) {
      ending_->OnReport(*report, now);
    } else {
      guard_->OnReport(*report, now);
      run_->SetDeadline(guard_->kill_at());
    }
    LookLater(now);
  }

  // At half of what is certain, in case an event is missed.
  void LookLater(const Instant& now) {
    const Duration known =
        ending_ ? ending_->Claimed(now) : guard_->Certain(now);
    talk_.AskAgain(now, std::clamp<Duration>(known / 2, kLeastLook, kMostLook));
  }

  void HearWork(const Heard& heard) {
    const Instant now = Now();
    work_asked_ = false;
    Result<Report> grant = heard.status == 200
                               ? ReadReport(heard.text, heard.asked)
                               : Fail(ErrorCode::kUnavailable, heard.text);
    if (heard.status == 404) {
      // Of another kind of socket, which never will take it.
      return waiter_.OnRefused(ReadError(heard.text));
    }
    if (!grant || grant->certainty != Certainty::kHeld) {
      waiter_.OnWorkRefused(ReadError(heard.text));
      // Too much runs, or it drains: that lasts.
      return talk_.AskAgain(now, heard.status == 503 ? kLook : kWorkAgain);
    }
    grant_ = *std::move(grant);
    if (Deadline{grant_.asked, grant_.to_renew_by}.Passed(now)) {
      // Answered too late to begin: given back, and asked for again.
      AskControl(Heard::Kind::kDone, grant_.generation);
      return talk_.AskAgain(now, kWorkAgain);
    }
    talk_.Follow(state_.lease);
    talk_.Keep(once_);
    guard_.emplace(options_.guarding, grant_);
    Say(ShortenedMargin(options_.guarding, grant_));
    // In the meantime a signal may have come, or the time may be over, or
    // another of this pod may have done the run.
    waiter_.OnReport(grant_);
    if (const auto end = waiter_.Decide(now)) return NotBegun(*end);
    StartCommand();
    LookLater(now);
  }

  // The work is given back.
  void NotBegun(const GiveUp& end) {
    Say(end.message);
    guard_->OnGone();
    ending_.emplace(EndingOptions{}, grant_, end.exit_code, false);
  }

  void StartCommand() {
    run_.emplace(
        GrantedCommand(options_, state_, grant_, waiter_.TimeLeft(Now())));
    if (const auto started = run_->Start(guard_->kill_at()); !started) {
      NotBegun(GiveUp{kGateOwnFailure, started.error().message});
    }
  }

  int ExitCode() {
    if (run_->watchdog_was_killed()) {
      Say("the watchdog was killed, and the command was killed with it");
    }
    if (!guard_->loss().empty()) {
      Say("authority was lost while the command ran, and it was stopped: " +
          guard_->loss());
      return kGateLost;
    }
    if (const int error = run_->start_error(); error != 0) {
      Say("expected to run " + run_->name() +
          ", found: " + std::system_category().message(error));
      return error == ENOENT || error == ENOTDIR ? kGateNotFound
                                                 : kGateCannotRun;
    }
    return guard_->exit_code().value_or(kGateOwnFailure);
  }

  void HearEnding(const Heard& heard) {
    if (!ending_) return;
    if (heard.kind == Heard::Kind::kRun && !ending_->recording()) return;
    // Again only if it was certainly not heard: `done` counts.
    if (!heard.sent) return ending_->OnNotSent(Now());
    if (heard.kind == Heard::Kind::kDone) {
      if (heard.status != 200) {
        Say("the sidecar did not take that the work is done: " +
            ReadError(heard.text));
      }
      ending_->OnDone();
    } else if (heard.status >= 400 && heard.status < 500) {
      ending_->OnRunRefused(ReadError(heard.text));
    } else if (heard.status != 200) {
      // Asking twice for the same is no harm.
      ending_->OnNotSent(Now());
    }
  }

  void EndOwnSidecar() {
    if (options_.own_sidecar == 0 || own_sidecar_ended_) return;
    ::kill(options_.own_sidecar, SIGTERM);
    const Deadline limit{Now(), kSidecarEnd};
    while (!own_sidecar_ended_) {
      if (limit.Passed(Now())) ::kill(options_.own_sidecar, SIGKILL);
      timer_.Arm(std::max<Duration>(limit.Remaining(Now()), kLeastLook));
      std::array<pollfd, 2> fds = {pollfd{timer_.fd(), POLLIN, 0},
                                   pollfd{signals_.fd(), POLLIN, 0}};
      ::poll(fds.data(), fds.size(), -1);
      timer_.Clear();
      signals_.Take();
      ReapChildren();
    }
  }

  const GateOptions& options_;
  Waiter waiter_;
  SidecarTalk talk_;
  const WorkRun once_;  // what is run, if it is to happen once
  SignalSource signals_;
  BootTimer timer_;
  Report state_;                  // the last while waiting
  Report grant_;                  // what the command runs under
  std::optional<Report> latest_;  // since then
  std::optional<Guard> guard_;
  std::optional<CommandRun> run_;
  std::optional<Ending> ending_;
  bool work_asked_ = false;  // and not answered
  bool own_sidecar_ended_ = false;
  int told_to_stop_ = 0;            // by the last signal that was passed on
  std::vector<std::string> lines_;  // a few
  std::optional<int> exit_code_;
};

}  // namespace

int RunGated(const GateOptions& options) { return GatedRun(options).Run(); }

}  // namespace tenure
