#include "sidecar/kube/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 leaves the linkage to its reader
}
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>

#include "sidecar/base/exec_strings.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/coordinator/signals_blocked.h"

namespace tenure {
namespace {

constexpr std::size_t kMaxErrors = 4096;

// For a signal handler, which has no argument of ours. Cleared before the child
// is reaped: its number is not another's until then.
std::atomic<pid_t> g_running{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);
// Written only while there is none.
std::array<char, 256> g_name;

std::string SystemError(int error) {
  return std::system_category().message(error);
}

// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  void Reset(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool Open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return false;
    read.Reset(fds[0]);
    write.Reset(fds[1]);
    // Only our end: the child's must block as programs expect.
    return ::fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

// 0, or what posix_spawn said.
int Spawn(const ChildCommand& command, int out, int errors, pid_t* pid) {
  std::vector<std::string> words = {command.command};
  words.insert(words.end(), command.args.begin(), command.args.end());
  std::vector<std::string> environment =
      MergedEnvironment(environ, command.env);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, errors, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    sigaddset(&defaults, number);
  }
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETPGROUP);
  const int error = ::posix_spawnp(pid, command.command.c_str(), &actions,
                                   &attributes, ExecPointers(words).data(),
                                   ExecPointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Takes what is there now; what exceeds `limit` is read and dropped, because a
// closed pipe would kill the child. Closes `pipe` at its end.
void Drain(Descriptor& pipe, std::size_t limit, std::string* text) {
  std::array<char, 4096> piece;
  // A bound, so that an endless writer cannot keep us from the deadline.
  for (int reads = 0; pipe.get() >= 0 && reads < 64; ++reads) {
    const ssize_t got = ::read(pipe.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return pipe.Close();
    text->append(piece.data(),
                 std::min(limit - text->size(), static_cast<std::size_t>(got)));
  }
}

int ExitCode(int pidfd) {
  siginfo_t info = {};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED) != 0) {
    // Someone else reaped it, as an init process may: judge by its output.
    if (errno != EINTR) return 0;
  }
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

// Collects output until the child has ended. Empty: it did.
std::optional<Error> Attend(const ChildCommand& command, int pidfd, Pipe& out,
                            Pipe& errors, ChildEnd* end) {
  using std::chrono::milliseconds;
  const Instant start = ReadClocks().instant;
  while (true) {
    const Duration left =
        command.limit - LongestElapsed(start, ReadClocks().instant);
    if (left <= Duration{0}) {
      return Error{ErrorCode::kDeadlineExceeded, "did not end in time"};
    }
    std::array<pollfd, 3> fds = {pollfd{pidfd, POLLIN, 0},
                                 pollfd{out.read.get(), POLLIN, 0},
                                 pollfd{errors.read.get(), POLLIN, 0}};
    const auto wait = std::chrono::ceil<milliseconds>(left);
    if (::poll(fds.data(), fds.size(),
               static_cast<int>(
                   std::min<milliseconds::rep>(wait.count(), 3'600'000))) < 0 &&
        errno != EINTR) {
      return Error{ErrorCode::kUnavailable, SystemError(errno)};
    }
    // One byte more than allowed tells that it is too much.
    Drain(out.read, command.max_output + 1, &end->output);
    Drain(errors.read, kMaxErrors, &end->errors);
    if (end->output.size() > command.max_output) {
      return Error{
          ErrorCode::kUnavailable,
          "wrote more than " + std::to_string(command.max_output) + " bytes"};
    }
    if (fds[0].revents != 0) return std::nullopt;
  }
}

}  // namespace

Result<ChildEnd> RunChild(const ChildCommand& command) {
  const auto failed = [&](ErrorCode code, const std::string& why) {
    return Fail(code, command.command + ": " + why);
  };
  Pipe out;
  Pipe errors;
  if (!out.Open() || !errors.Open()) {
    return failed(ErrorCode::kUnavailable, SystemError(errno));
  }
  pid_t pid = 0;
  auto blocked = std::make_optional<SignalsBlocked>();
  const int error = Spawn(command, out.write.get(), errors.write.get(), &pid);
  if (error != 0) {
    return failed(
        error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
        "expected a program that can be run, found: " + SystemError(error));
  }
  g_name[command.command.copy(g_name.data(), g_name.size() - 1)] = '\0';
  g_running = pid;
  // From here on a handler finds it.
  blocked.reset();
  out.write.Close();
  errors.write.Close();
  const Descriptor pidfd(::pidfd_open(pid, 0));
  ChildEnd end;
  std::optional<Error> trouble;
  if (pidfd.get() < 0) {
    trouble = Error{ErrorCode::kUnavailable, "pidfd: " + SystemError(errno)};
  } else {
    trouble = Attend(command, pidfd.get(), out, errors, &end);
  }
  g_running = 0;
  if (trouble.has_value()) {
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return failed(trouble->code, trouble->message);
  }
  end.exit_code = ExitCode(pidfd.get());
  return end;
}

const char* RunningChild() { return g_running > 0 ? g_name.data() : ""; }

void KillRunningChild() {
  const pid_t pid = g_running;
  if (pid > 0) ::kill(-pid, SIGKILL);
}

}  // namespace tenure
