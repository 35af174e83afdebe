#include "sidecar/gate/command_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <utility>

#include "sidecar/gate/descendants.h"
#include "sidecar/gate/own_children.h"
#include "sidecar/gate/urgency.h"

namespace tenure {
namespace {

// A watchdog that lives kills as well and says when nothing is left, within
// milliseconds; one that has not after so many looks is as good as stopped.
constexpr int kLooksWithWatchdog = 10;
// Where the kernel does not tell: looks in a row that find nothing.
constexpr int kEmptyLooks = 10;

}  // namespace

CommandRun::CommandRun(Command command) : command_(std::move(command)) {}

Result<void> CommandRun::Start(const Deadline& kill_at) {
  if (!SeesProcesses()) {
    return Fail(ErrorCode::kUnavailable,
                "expected /proc to show the processes of this PID namespace, "
                "found that it does not, so nobody could tell when nothing is "
                "left of the command; mount proc at /proc");
  }
  command_.cgroup = CommandCgroup::Make();
  MayBecomeUrgent();  // for the watchdog, too
  Result<Watchdog> started = Watchdog::Start(command_, kill_at);
  if (!started) {
    command_.cgroup.Remove();
    return std::unexpected(started.error());
  }
  watchdog_ = *std::move(started);
  BecomeUrgent();
  return {};
}

void CommandRun::SetDeadline(const Deadline& kill_at) {
  watchdog_->Tell({WatchdogOrder::Kind::kDeadline, 0, kill_at});
}

void CommandRun::CarryOut(const GuardOrders& orders, pid_t spared,
                          Guard* guard) {
  for (const int signal : orders.to_group) {
    watchdog_->Tell({WatchdogOrder::Kind::kSignalGroup, signal, {}});
  }
  for (const int signal : orders.to_all) {
    watchdog_->Tell({WatchdogOrder::Kind::kSignalAll, signal, {}});
  }
  if (orders.kill || orphaned()) KillAll(spared, guard);
}

// Both guards kill, for the other may be stopped or dead.
void CommandRun::KillAll(pid_t spared, Guard* guard) {
  watchdog_->Tell({WatchdogOrder::Kind::kKill, 0, {}});
  command_.cgroup.Kill();
  const pid_t watchdog = watchdog_reaped_ ? 0 : watchdog_->pid();
  const Spared not_work{watchdog, spared};
  KillListed(::getpid(), not_work);
  if (watchdog_reaped_) KillOwnChildren(spared);
  BecomeOrdinary();
  const std::size_t seen = SignalDescendants(::getpid(), not_work, SIGKILL);
  if (!watchdog_reaped_) {
    // No look at /proc shows that nothing is left: what is born during one may
    // be missed, and in the next one its child. The kernel knows, but of
    // orphans only their reaper is told. So that must be us.
    if (IsStopped(watchdog) || ++looks_with_watchdog_ > kLooksWithWatchdog) {
      ended_watchdog_ = true;
      ::kill(watchdog, SIGKILL);
    }
    return;
  }
  KillOwnChildren(spared);
  empty_looks_ = seen > 0 ? 0 : empty_looks_ + 1;
  switch (OwnChildrenLeft(spared)) {
    case Left::kSomething:
      return;
    case Left::kUnknown:
      if (empty_looks_ < kEmptyLooks) return;
      break;
    case Left::kNothing:
      break;
  }
  command_.cgroup.Remove();
  guard->OnGone();
}

void CommandRun::TakeNews(const Instant& now, Guard* guard) {
  if (!watchdog_ || watchdog_->fd() < 0 || guard->gone()) return;
  while (const auto news = watchdog_->Read()) {
    switch (news->kind) {
      case WatchdogNews::Kind::kNotStarted:
        start_error_ = news->code;
        break;
      case WatchdogNews::Kind::kExited:
        guard->OnExit(news->code, now);
        break;
      case WatchdogNews::Kind::kGone:
        guard->OnGone();
        BecomeOrdinary();
        return;
    }
  }
}

void CommandRun::NoteReaped(pid_t pid) {
  if (watchdog_ && pid == watchdog_->pid()) watchdog_reaped_ = true;
}

void CommandRun::ReapWatchdog() {
  if (!watchdog_ || watchdog_reaped_) return;
  // It may be stopped.
  ::kill(watchdog_->pid(), SIGKILL);
  while (::waitpid(watchdog_->pid(), nullptr, 0) < 0 && errno == EINTR) {
  }
  watchdog_reaped_ = true;
}

}  // namespace tenure
