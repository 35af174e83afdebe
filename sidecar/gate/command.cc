#include "sidecar/gate/command.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/base/exec_strings.h"

namespace tenure {
namespace {

// As execvpe(3), which would run what execve does not know with a shell.
int Execute(const std::string& name, char* const* words,
            char* const* environment) {
  if (name.find('/') != std::string::npos) {
    ::execve(name.c_str(), words, environment);
    return errno;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  const char* const given = std::getenv("PATH");
  std::string_view path = given != nullptr ? given : "/usr/bin:/bin";
  int seen = ENOENT;
  while (true) {
    const std::size_t colon = path.find(':');
    std::string folder(path.substr(0, colon));
    if (!folder.empty()) folder += '/';
    ::execve((folder + name).c_str(), words, environment);
    if (errno != ENOENT && errno != ENOTDIR) seen = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return errno;
    if (colon == std::string_view::npos) return seen;
    path.remove_prefix(colon + 1);
  }
}

}  // namespace

int BecomeCommand(const Command& command, pid_t parent) {
  ::setpgid(0, 0);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  // It may have died before that.
  if (::getppid() != parent) return 0;
  command.cgroup.Join();
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment =
      MergedEnvironment(environ, command.environment);
  GiveSignalsBack(command.signals);
  return Execute(command.words.front(), ExecPointers(words).data(),
                 ExecPointers(environment).data());
}

}  // namespace tenure
