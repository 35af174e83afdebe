#include "sidecar/gate/watchdog.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "sidecar/gate/watchdog_process.h"

namespace tenure {

Result<Watchdog> Watchdog::Start(const Command& command,
                                 const Deadline& kill_at) {
  const auto failed = [](int error) {
    return Fail(ErrorCode::kUnavailable,
                "expected to start the watchdog, found: " +
                    std::system_category().message(error));
  };
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                   ends) != 0) {
    return failed(errno);
  }
  Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return failed(errno);
  if (pid == 0) {
    ours.Close();
    RunWatchdog(command, kill_at, std::move(theirs));
  }
  return Watchdog(pid, std::move(ours));
}

void Watchdog::Tell(const WatchdogOrder& order) {
  if (link_.get() < 0) return;
  [[maybe_unused]] const ssize_t sent =
      ::send(link_.get(), &order, sizeof order, MSG_NOSIGNAL);
}

std::optional<WatchdogNews> Watchdog::Read() {
  if (link_.get() < 0) return std::nullopt;
  WatchdogNews news;
  ssize_t got = -1;
  do {
    got = ::recv(link_.get(), &news, sizeof news, 0);
    // It ended before it had read all of our orders: said once, before what it
    // told us last.
  } while (got < 0 && errno == ECONNRESET);
  if (got == static_cast<ssize_t>(sizeof news)) return news;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  link_.Close();
  return std::nullopt;
}

}  // namespace tenure
