#include "sidecar/gate/gated_run.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/gate/boot_timer.h"
#include "sidecar/gate/descendants.h"
#include "sidecar/gate/exit_codes.h"
#include "sidecar/gate/report.h"
#include "sidecar/gate/sidecar_talk.h"
#include "sidecar/gate/watchdog.h"

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
// How long `done` is worth waiting for; the lease then expires unreleased.
constexpr Duration kDoneLimit = seconds(2);
constexpr Duration kReportAgain = milliseconds(50);
// A sidecar of our own that does not end after SIGTERM is killed.
constexpr Duration kSidecarEnd = seconds(10);
// Two looks in a row find nothing: what is born during one is in the next.
constexpr int kEmptyLooks = 2;

class GatedRun {
 public:
  explicit GatedRun(const GateOptions& options)
      : options_(options),
        waiter_(options.waiting, ReadClocks().instant),
        talk_(options.control_socket, options.lease) {
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
    ReapWatchdog();
    EndOwnSidecar();
    return *exit_code_;
  }

 private:
  Instant Now() const { return ReadClocks().instant; }

  void Say(const std::string& line) const { options_.say(line); }

  // What is due by now.
  void Act() {
    if (exit_code_) return;
    if (finishing_) {
      if (finishing_->Passed(Now())) {
        Say("the sidecar did not hear that the work is done, so the lease will "
            "expire unreleased");
        Finish();
      } else if (done_again_ && done_again_->Passed(Now())) {
        done_again_.reset();
        talk_.AskControl(Heard::Kind::kDone, guard_->generation(),
                         state_.lease);
      }
      return;
    }
    if (!guard_) {
      if (const auto end = waiter_.Decide(Now())) {
        Say(end->message);
        exit_code_ = end->exit_code;
        return;
      }
      if (const auto generation = waiter_.TakeWork()) {
        talk_.AskControl(Heard::Kind::kWork, *generation, state_.lease);
      }
      return;
    }
    CarryOut(guard_->Decide(Now()));
    if (guard_->gone() && !finishing_) ReportDone();
  }

  void CarryOut(const GuardOrders& orders) {
    for (const int signal : orders.to_group) {
      watchdog_->Tell({WatchdogOrder::Kind::kSignalGroup, signal, {}});
    }
    for (const int signal : orders.to_all) {
      watchdog_->Tell({WatchdogOrder::Kind::kSignalAll, signal, {}});
    }
    if (orders.kill || watchdog_->fd() < 0) KillAll();
  }

  // Both guards kill, for the other may be stopped or dead.
  void KillAll() {
    watchdog_->Tell({WatchdogOrder::Kind::kKill, 0, {}});
    command_.cgroup.Kill();
    const Spared spared{watchdog_reaped_ ? 0 : watchdog_->pid(),
                        own_sidecar_ended_ ? 0 : options_.own_sidecar};
    if (SignalDescendants(::getpid(), spared, SIGKILL) > 0) {
      empty_looks_ = 0;
      return;
    }
    if (++empty_looks_ < kEmptyLooks) return;
    // A watchdog that is stopped cannot say so.
    if (!watchdog_reaped_) ::kill(watchdog_->pid(), SIGKILL);
    command_.cgroup.Remove();
    guard_->OnGone();
  }

  void SendQuestion() {
    if (const auto heard = talk_.Send(Now())) Hear(*heard);
  }

  void Wait() {
    const Instant now = Now();
    Duration next = talk_.NextDeadline(now);
    if (finishing_) {
      next = std::min(next, finishing_->Remaining(now));
      if (done_again_) next = std::min(next, done_again_->Remaining(now));
    } else if (guard_) {
      next = std::min(next, guard_->NextDeadline(now));
      if (watchdog_->fd() < 0) next = std::min<Duration>(next, kLeastLook);
    } else {
      next = std::min(next, waiter_.NextDeadline(now));
    }
    timer_.Arm(next);
    std::array<pollfd, 5> fds = {
        pollfd{timer_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0},
        pollfd{talk_.link_fd(), POLLIN, 0}, pollfd{talk_.feed_fd(), POLLIN, 0},
        pollfd{watchdog_ ? watchdog_->fd() : -1, POLLIN, 0}};
    ::poll(fds.data(), fds.size(), -1);
    timer_.Clear();
  }

  void TakeSignals() {
    for (const int signal : signals_.Take()) {
      if (guard_) {
        guard_->OnSignal(signal);
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
      if (watchdog_ && pid == watchdog_->pid()) watchdog_reaped_ = true;
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
    if (!watchdog_ || guard_->gone()) return;
    const bool was_there = watchdog_->fd() >= 0;
    while (const auto news = watchdog_->Read()) {
      switch (news->kind) {
        case WatchdogNews::Kind::kNotStarted:
          start_error_ = news->code;
          break;
        case WatchdogNews::Kind::kExited:
          guard_->OnExit(news->code, Now());
          break;
        case WatchdogNews::Kind::kGone:
          guard_->OnGone();
          return;
      }
    }
    if (was_there && watchdog_->fd() < 0) {
      Say("the watchdog was killed, so the command is killed too");
    }
  }

  void TakeAnswer() {
    if (const auto heard = talk_.Receive(Now())) Hear(*heard);
  }

  void Hear(const Heard& heard) {
    if (heard.kind == Heard::Kind::kDone) return HearDone(heard);
    if (finishing_) return;
    if (heard.kind == Heard::Kind::kWork) return HearWork(heard);
    HearState(heard);
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
      return talk_.AskAgain(now, talk_.feed_fd() < 0 ? kLook : kLookWatching);
    }
    guard_->OnReport(*report, now);
    watchdog_->Tell({WatchdogOrder::Kind::kDeadline, 0, guard_->kill_at()});
    LookLater(now);
  }

  // At half of what is certain, in case an event is missed.
  void LookLater(const Instant& now) {
    talk_.AskAgain(now, std::clamp<Duration>(guard_->Certain(now) / 2,
                                             kLeastLook, kMostLook));
  }

  void HearWork(const Heard& heard) {
    const Instant now = Now();
    const Result<Report> grant =
        heard.status == 200 ? ReadReport(heard.text, heard.asked)
                            : Fail(ErrorCode::kUnavailable, heard.text);
    if (!grant || grant->certainty != Certainty::kHeld) {
      waiter_.OnWorkRefused(ReadError(heard.text));
      return talk_.AskAgain(now, kWorkAgain);
    }
    if (Deadline{grant->asked, grant->to_renew_by}.Passed(now)) {
      // Answered too late to begin: given back, and asked for again.
      talk_.AskControl(Heard::Kind::kDone, grant->generation, state_.lease);
      return talk_.AskAgain(now, kWorkAgain);
    }
    guard_.emplace(options_.guarding, *grant);
    talk_.Follow(state_.lease);
    StartCommand();
    LookLater(now);
  }

  void StartCommand() {
    command_.words = options_.command;
    command_.signals = options_.signals;
    command_.environment = {
        {"TENURE_LEASE", state_.lease},
        {"TENURE_GENERATION", std::to_string(guard_->generation())},
        {"TENURE_HOLDER", state_.identity}};
    if (!options_.run_id.empty()) {
      command_.environment.emplace_back("TENURE_RUN_ID", options_.run_id);
    }
    if (!options_.status_socket.empty()) {
      command_.environment.emplace_back("TENURE_SOCKET",
                                        options_.status_socket);
    }
    command_.cgroup = CommandCgroup::Make();
    Result<Watchdog> started = Watchdog::Start(command_, guard_->kill_at());
    if (started) {
      watchdog_ = *std::move(started);
      return;
    }
    Say(started.error().message);
    own_failure_ = true;
    guard_->OnGone();
  }

  int ExitCode() const {
    if (own_failure_) return kGateOwnFailure;
    if (!guard_->loss().empty()) {
      Say("authority was lost while the command ran, and it was stopped: " +
          guard_->loss());
      return kGateLost;
    }
    if (start_error_ != 0) {
      Say("expected to run " + options_.command.front() +
          ", found: " + std::system_category().message(start_error_));
      return start_error_ == ENOENT || start_error_ == ENOTDIR ? kGateNotFound
                                                               : kGateCannotRun;
    }
    return guard_->exit_code().value_or(kGateOwnFailure);
  }

  void ReportDone() {
    final_code_ = ExitCode();
    finishing_ = Deadline{Now(), kDoneLimit};
    talk_.StopAsking();
    talk_.AskControl(Heard::Kind::kDone, guard_->generation(), state_.lease);
  }

  void HearDone(const Heard& heard) {
    if (!finishing_) return;  // a grant that came too late
    // Once more only if it was certainly not heard: `done` counts.
    if (!heard.sent) {
      done_again_ = Deadline{Now(), kReportAgain};
      return;
    }
    if (heard.status != 200) {
      Say("the sidecar did not take that the work is done: " +
          ReadError(heard.text));
    }
    Finish();
  }

  void Finish() { exit_code_ = final_code_; }

  // It has nothing more to do; its zombie, and those it left if it was stopped,
  // are not for others to reap.
  void ReapWatchdog() {
    if (!watchdog_) return;
    if (!watchdog_reaped_) {
      ::kill(watchdog_->pid(), SIGKILL);
      while (::waitpid(watchdog_->pid(), nullptr, 0) < 0 && errno == EINTR) {
      }
      watchdog_reaped_ = true;
    }
    ReapChildren();
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
  SignalSource signals_;
  BootTimer timer_;
  Report state_;  // the last while waiting
  Command command_;
  std::optional<Guard> guard_;
  std::optional<Watchdog> watchdog_;
  std::optional<Deadline> finishing_;  // `done` is on its way until then
  std::optional<Deadline> done_again_;
  int start_error_ = 0;  // errno of the command's start
  int empty_looks_ = 0;
  bool own_failure_ = false;
  bool watchdog_reaped_ = false;
  bool own_sidecar_ended_ = false;
  int final_code_ = kGateOwnFailure;  // once nothing is left of the command
  std::optional<int> exit_code_;      // once there is nothing more to do
};

}  // namespace

int RunGated(const GateOptions& options) { return GatedRun(options).Run(); }

}  // namespace tenure
