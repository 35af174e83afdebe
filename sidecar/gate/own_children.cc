#include "sidecar/gate/own_children.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <vector>

#include "sidecar/gate/listed_children.h"

namespace tenure {
namespace {

// Of looks in a row, each a few microseconds.
constexpr int kMostLooks = 256;

// Whole, because only this thread takes any out of the list while it is read;
// new ones come to its end.
std::optional<std::vector<pid_t>> List() { return ListedChildren(::getpid()); }

}  // namespace

void KillOwnChildren(pid_t spared) {
  std::vector<pid_t> known;
  for (int i = 0; i < kMostLooks; ++i) {
    const auto children = List();
    if (!children) return;
    bool news = false;
    for (const pid_t pid : *children) {
      if (pid == spared || std::ranges::find(known, pid) != known.end()) {
        continue;
      }
      ::kill(pid, SIGKILL);
      known.push_back(pid);
      news = true;
    }
    if (!news) return;
  }
}

Left OwnChildrenLeft(pid_t spared) {
  if (spared == 0) {
    siginfo_t info{};
    const int looked =
        ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
    return looked < 0 && errno == ECHILD ? Left::kNothing : Left::kSomething;
  }
  const auto children = List();
  if (!children) return Left::kUnknown;
  const bool other = std::ranges::any_of(
      *children, [spared](pid_t pid) { return pid != spared; });
  return other ? Left::kSomething : Left::kNothing;
}

}  // namespace tenure
