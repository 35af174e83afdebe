#include "sidecar/drill/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/base/exec_strings.h"
#include "sidecar/gate/descendants.h"

namespace tenure {
namespace {

constexpr char kThisProgram[] = "/proc/self/exe";
constexpr std::size_t kMostOfALine = 300;
constexpr int kMostLooks = 1000;
constexpr int kLookMilliseconds = 5;

// What configures a sidecar in a pod must not configure those of a drill.
bool Configures(std::string_view entry) { return entry.starts_with("TENURE_"); }

std::vector<std::string> Environment(const ChildOrder& order) {
  std::vector<std::string> entries =
      MergedEnvironment(environ, order.environment);
  const auto ours =
      entries.end() - static_cast<std::ptrdiff_t>(order.environment.size());
  entries.erase(std::remove_if(entries.begin(), ours, &Configures), ours);
  return entries;
}

[[noreturn]] void Become(const ChildOrder& order, pid_t parent, int out) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(125);
  const int log =
      ::open(order.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  if (log >= 0) ::dup2(log, STDERR_FILENO);
  std::vector<std::string> words = {"tenure"};
  words.insert(words.end(), order.words.begin(), order.words.end());
  std::vector<std::string> environment = Environment(order);
  GiveSignalsBack(order.signals);
  ::execve(kThisProgram, ExecPointers(words).data(),
           ExecPointers(environment).data());
  ::_exit(127);
}

}  // namespace

Result<Child> StartChild(const ChildOrder& order) {
  std::array<int, 2> pipe{-1, -1};
  const bool piped = ::pipe2(pipe.data(), O_CLOEXEC) == 0;
  Descriptor in(pipe[0]);
  const Descriptor out(pipe[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = piped ? ::fork() : -1;
  if (pid == 0) Become(order, parent, out.get());
  if (pid < 0) {
    return Fail(ErrorCode::kUnavailable,
                "expected to start a process, found: " +
                    std::system_category().message(errno));
  }
  return Child{pid, LineStream(std::move(in))};
}

std::string LastLine(const std::string& file) {
  std::ifstream stream(file);
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) last = line;
  }
  std::ranges::replace_if(
      last, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return last.substr(0, kMostOfALine);
}

void KillEverything() {
  for (int i = 0; i < kMostLooks; ++i) {
    const std::size_t alive = SignalDescendants(::getpid(), {}, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (alive == 0) return;
    ::poll(nullptr, 0, kLookMilliseconds);
  }
}

}  // namespace tenure
