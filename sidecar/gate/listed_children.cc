#include "sidecar/gate/listed_children.h"

#include <dirent.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace tenure {

bool ShowsOurNamespace() {
  std::array<char, 16> text;
  const ssize_t got = ::readlink("/proc/self", text.data(), text.size());
  pid_t shown = 0;
  return got > 0 &&
         std::from_chars(text.data(), text.data() + got, shown).ec ==
             std::errc{} &&
         shown == ::getpid();
}

std::optional<std::vector<pid_t>> ListedChildren(pid_t parent) {
  if (!ShowsOurNamespace()) return std::nullopt;
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task/";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(tasks.c_str()),
                                                   &::closedir);
  if (folder == nullptr) return std::nullopt;
  std::optional<std::vector<pid_t>> children;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): this stream is ours alone
  while (const dirent* task = ::readdir(folder.get())) {
    if (task->d_name[0] == '.') continue;
    std::ifstream file(tasks + task->d_name + "/children");
    if (!file) continue;
    if (!children) children.emplace();
    for (pid_t pid = 0; file >> pid;) children->push_back(pid);
  }
  return children;
}

}  // namespace tenure
