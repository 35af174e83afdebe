#include "sidecar/gate/listed_children.h"

#include <dirent.h>

#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "sidecar/gate/proc_folder.h"

namespace tenure {
namespace {

// "12 13 14 "
void AddNumbers(const std::string& text, std::vector<pid_t>* numbers) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    const auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc{}) numbers->push_back(pid);
    at = error == std::errc{} ? next : at + 1;
  }
}

}  // namespace

std::optional<std::vector<pid_t>> ListedChildren(pid_t parent) {
  if (!ShowsOurNamespace()) return std::nullopt;
  const std::string tasks = std::to_string(parent) + "/task";
  const OpenedFolder folder = OpenProcFolder(tasks);
  if (folder == nullptr) return std::nullopt;
  std::optional<std::vector<pid_t>> children;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): this stream is ours alone
  while (const dirent* task = ::readdir(folder.get())) {
    if (task->d_name[0] == '.') continue;
    const auto text = ReadProcFile(tasks + "/" + task->d_name + "/children");
    if (!text) continue;
    if (!children) children.emplace();
    AddNumbers(*text, &*children);
  }
  return children;
}

}  // namespace tenure
