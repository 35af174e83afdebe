#include "sidecar/cli/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/verb_flags.h"

namespace tenure {
namespace {

int g_error = 0;  // of the first flush that failed

}  // namespace

void ReserveStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number. The wrong way round, so that a use of it fails.
    const int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    [[maybe_unused]] const int opened =
        ::open("/dev/null", way | O_CLOEXEC);  // NOLINT(android-cloexec-open)
  }
}

bool FlushOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  if (g_error == 0) g_error = errno;
  return false;
}

int ExitCodeOfOutput(int code) {
  if (FlushOutput()) return code;
  PrintProblem("expected to write the result to stdout, found: " +
               (g_error != 0 ? std::generic_category().message(g_error)
                             : std::string("it was lost on the way")));
  return kExitOutputLost;
}

}  // namespace tenure
