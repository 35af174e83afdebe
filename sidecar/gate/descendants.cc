#include "sidecar/gate/descendants.h"

#include <dirent.h>
#include <unistd.h>
extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 leaves the linkage to its reader
}

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/gate/descriptor.h"
#include "sidecar/gate/listed_children.h"
#include "sidecar/gate/proc_folder.h"

namespace tenure {
namespace {

// More than a machine runs, should what is listed never end.
constexpr std::size_t kMostListed = 65536;
// In a row: what forks without pause is new in each.
constexpr int kMostLooks = 16;

struct Entry {
  pid_t pid = 0;
  pid_t parent = 0;
  std::uint64_t started = 0;  // ticks since boot: tells two of one number apart
  char state = 'X';           // as /proc has it
  bool Alive() const { return state != 'Z' && state != 'X'; }
};

// Field `n` counted from the state, which is 0.
template <typename Number>
bool Field(std::string_view fields, int n, Number* number) {
  for (int i = 0; i < n; ++i) {
    const std::size_t space = fields.find(' ');
    if (space == std::string_view::npos) return false;
    fields.remove_prefix(space + 1);
  }
  return std::from_chars(fields.data(), fields.data() + fields.size(), *number)
             .ec == std::errc{};
}

std::optional<Entry> ReadEntry(pid_t pid) {
  const auto text = ReadProcFile(std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  std::string_view line(*text);
  // The name before may hold anything, brackets too.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= line.size()) {
    return std::nullopt;
  }
  line.remove_prefix(name_end + 2);
  Entry entry;
  entry.pid = pid;
  entry.state = line[0];
  if (!Field(line, 1, &entry.parent) || !Field(line, 19, &entry.started)) {
    return std::nullopt;
  }
  return entry;
}

// Of all processes; nothing if they could not be looked at: a /proc of another
// namespace or none at all, or no descriptor left to read it by.
std::optional<std::multimap<pid_t, Entry>> ByParent() {
  if (!ShowsOurNamespace()) return std::nullopt;
  std::multimap<pid_t, Entry> entries;
  const OpenedFolder folder = OpenProcFolder(".");
  if (folder == nullptr) return std::nullopt;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): this stream is ours alone
  while (const dirent* found = ::readdir(folder.get())) {
    const std::string_view name(found->d_name);
    pid_t pid = 0;
    const auto [at, error] =
        std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || at != name.data() + name.size()) continue;
    errno = 0;
    if (const auto entry = ReadEntry(pid)) {
      entries.emplace(entry->parent, *entry);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      return std::nullopt;
    }
  }
  return entries;
}

void SignalEntry(const Entry& entry, int signal) {
  const Descriptor process(::pidfd_open(entry.pid, 0));
  if (process.get() < 0 && errno != ENOSYS) return;  // gone
  const std::optional<Entry> now = ReadEntry(entry.pid);
  if (!now || now->started != entry.started) return;
  if (process.get() >= 0) {
    ::pidfd_send_signal(process.get(), signal, nullptr, 0);
  } else {
    ::kill(entry.pid, signal);
  }
}

// What was listed as a child and still is that very one.
void AddListed(pid_t parent, const Spared& spared,
               std::vector<Entry>* pending) {
  const auto children = ListedChildren(parent);
  if (!children) return;
  for (const pid_t child : *children) {
    if (child == spared.whole) continue;
    const std::optional<Entry> entry = ReadEntry(child);
    if (entry && entry->parent == parent) pending->push_back(*entry);
  }
}

// Of those that live.
template <typename Take>
void ForEachListed(pid_t root, const Spared& spared, const Take& take) {
  std::vector<Entry> pending;
  AddListed(root, spared, &pending);
  for (std::size_t i = 0; i < kMostListed && !pending.empty(); ++i) {
    const Entry entry = pending.back();
    pending.pop_back();
    // Its children first: once it is dead they are listed elsewhere.
    AddListed(entry.pid, spared, &pending);
    if (entry.Alive() && entry.pid != spared.alone) take(entry);
  }
}

}  // namespace

bool SeesProcesses() {
  return ShowsOurNamespace() && ReadEntry(::getpid()).has_value();
}

bool IsStopped(pid_t pid) {
  const std::optional<Entry> entry = ReadEntry(pid);
  return entry && entry->state == 'T';
}

void SignalListed(pid_t root, const Spared& spared, int signal) {
  ForEachListed(root, spared,
                [signal](const Entry& entry) { SignalEntry(entry, signal); });
}

void KillListed(pid_t root, const Spared& spared) {
  std::set<std::pair<pid_t, std::uint64_t>> known;
  for (int look = 0; look < kMostLooks; ++look) {
    bool news = false;
    ForEachListed(root, spared, [&](const Entry& entry) {
      if (!known.emplace(entry.pid, entry.started).second) return;
      SignalEntry(entry, SIGKILL);
      news = true;
    });
    if (!news) return;
  }
}

std::size_t SignalDescendants(pid_t root, const Spared& spared, int signal) {
  const auto by_parent = ByParent();
  // What cannot be seen is not gone.
  if (!by_parent) return 1;
  std::vector<pid_t> parents = {root};
  std::size_t alive = 0;
  // Each process has one parent, so none is met twice.
  while (!parents.empty()) {
    const pid_t parent = parents.back();
    parents.pop_back();
    const auto [first, last] = by_parent->equal_range(parent);
    for (auto child = first; child != last; ++child) {
      const Entry& entry = child->second;
      if (entry.pid == spared.whole || entry.pid == root) continue;
      parents.push_back(entry.pid);
      if (!entry.Alive() || entry.pid == spared.alone) continue;
      ++alive;
      if (signal != 0) SignalEntry(entry, signal);
    }
  }
  return alive;
}

}  // namespace tenure
