#include "sidecar/gate/watchdog_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/gate/boot_timer.h"
#include "sidecar/gate/descendants.h"
#include "sidecar/gate/exit_codes.h"
#include "sidecar/gate/own_children.h"
#include "sidecar/gate/urgency.h"
#include "sidecar/gate/watchdog.h"

namespace tenure {
namespace {

constexpr Duration kKillAgain = std::chrono::milliseconds(10);

class WatchdogProcess {
 public:
  WatchdogProcess(const Command& command, const Deadline& kill_at,
                  Descriptor link)
      : command_(command), kill_at_(kill_at), link_(std::move(link)) {}

  void Run() {
    StartCommand();
    BecomeUrgent();
    while (Reap()) {
      if (!killing_ && kill_at_.Passed(ReadClocks().instant)) killing_ = true;
      if (killing_) Kill();
      Wait();
    }
    // It has ended already; what it wrote is read by now or never.
    if (start_error_.get() >= 0) ReadStartError();
    command_.cgroup.Remove();
    Send(WatchdogNews{WatchdogNews::Kind::kGone, 0});
  }

 private:
  void StartCommand() {
    const pid_t own = ::getpid();
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0) return NotStarted(errno);
    start_error_ = Descriptor(pipe[0]);
    Descriptor write_end(pipe[1]);
    leader_ = ::fork();
    if (leader_ < 0) return NotStarted(errno);
    if (leader_ == 0) {
      const int error = BecomeCommand(command_, own);
      [[maybe_unused]] const ssize_t wrote =
          ::write(write_end.get(), &error, sizeof error);
      ::_exit(kGateCannotRun);
    }
    // Also from here: the first signal must find the group.
    ::setpgid(leader_, leader_);
    // Those who read its output must see its end when it ends.
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ::dup2(nothing.get(), STDIN_FILENO);
    ::dup2(nothing.get(), STDOUT_FILENO);
    ::dup2(nothing.get(), STDERR_FILENO);
  }

  void NotStarted(int error) {
    leader_ = 0;
    Send(WatchdogNews{WatchdogNews::Kind::kNotStarted, error});
  }

  void ReadStartError() {
    int error = 0;
    const ssize_t got = ::read(start_error_.get(), &error, sizeof error);
    if (got < 0 && errno == EAGAIN) return;
    start_error_.Close();
    if (got == static_cast<ssize_t>(sizeof error)) {
      Send(WatchdogNews{WatchdogNews::Kind::kNotStarted, error});
    }
  }

  // False once no child is left, and so no descendant.
  bool Reap() {
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid == 0) return true;
      if (pid < 0 && errno == EINTR) continue;
      if (pid < 0) return false;
      if (pid != leader_) continue;
      leader_ = 0;  // its group may be another's from now on
      Send(WatchdogNews{WatchdogNews::Kind::kExited,
                        WIFEXITED(status) ? WEXITSTATUS(status)
                                          : kGateSignal + WTERMSIG(status)});
    }
  }

  void Kill() {
    // From the quickest to the surest.
    SignalGroup(SIGKILL);
    command_.cgroup.Kill();
    KillListed(::getpid(), Spared{});
    KillOwnChildren(0);
    BecomeOrdinary();
    SignalDescendants(::getpid(), Spared{}, SIGKILL);
  }

  void SignalGroup(int signal) const {
    if (leader_ > 0) ::kill(-leader_, signal);
  }

  void Wait() {
    timer_.Arm(killing_ ? kKillAgain
                        : kill_at_.Remaining(ReadClocks().instant));
    std::array<pollfd, 4> fds = {
        pollfd{timer_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0},
        pollfd{link_.get(), POLLIN, 0}, pollfd{start_error_.get(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), -1);
    timer_.Clear();
    signals_.Take();
    while (TakeOrder()) {
    }
    if (start_error_.get() >= 0) ReadStartError();
  }

  bool TakeOrder() {
    if (link_.get() < 0) return false;
    WatchdogOrder order;
    const ssize_t got = ::recv(link_.get(), &order, sizeof order, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got != static_cast<ssize_t>(sizeof order)) {
      // Nobody can tell us of a renewal any more.
      link_.Close();
      killing_ = true;
      return false;
    }
    switch (order.kind) {
      case WatchdogOrder::Kind::kDeadline:
        kill_at_ = order.kill_at;
        break;
      case WatchdogOrder::Kind::kSignalGroup:
        SignalGroup(order.signal);
        break;
      case WatchdogOrder::Kind::kSignalAll:
        // Twice is once for it; a SIGTERM comes once.
        if (order.signal == SIGSTOP) {
          SignalListed(::getpid(), Spared{}, SIGSTOP);
        }
        SignalDescendants(::getpid(), Spared{}, order.signal);
        break;
      case WatchdogOrder::Kind::kKill:
        killing_ = true;
        break;
    }
    return true;
  }

  void Send(const WatchdogNews& news) const {
    if (link_.get() < 0) return;
    [[maybe_unused]] const ssize_t sent =
        ::send(link_.get(), &news, sizeof news, MSG_NOSIGNAL);
  }

  const Command& command_;
  Deadline kill_at_;
  Descriptor link_;
  Descriptor start_error_;
  BootTimer timer_;
  SignalSource signals_;
  pid_t leader_ = 0;
  bool killing_ = false;
};

}  // namespace

void RunWatchdog(const Command& command, const Deadline& kill_at,
                 Descriptor link) {
  // Out of the guard's session: what stops or kills its process group, as a
  // terminal does, must not reach the one that guards in its place.
  ::setsid();
  ::prctl(PR_SET_NAME, "tenure-watchdog");
  // Should the guard be killed while this is stopped: nobody else would let it
  // go on, and the command would outlive the claim.
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  WatchdogProcess(command, kill_at, std::move(link)).Run();
  ::_exit(0);
}

}  // namespace tenure
