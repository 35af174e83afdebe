#include "sidecar/gate/command.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {
namespace {

std::vector<std::string> Environment(const Command& command) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const auto replaces = [&](const auto& pair) { return pair.first == name; };
    if (std::ranges::none_of(command.environment, replaces)) {
      entries.emplace_back(text);
    }
  }
  for (const auto& [name, value] : command.environment) {
    entries.push_back(name);
    entries.back() += "=" + value;
  }
  return entries;
}

// As execve wants it; `texts` owns the characters.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

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
  std::vector<std::string> environment = Environment(command);
  GiveSignalsBack(command.signals);
  return Execute(command.words.front(), Pointers(words).data(),
                 Pointers(environment).data());
}

}  // namespace tenure
