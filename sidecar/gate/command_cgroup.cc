#include "sidecar/gate/command_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>

#include "sidecar/gate/descriptor.h"

namespace tenure {
namespace {

// "" where there is no version 2 hierarchy.
std::string OwnFolder() {
  std::ifstream file("/proc/self/cgroup");
  constexpr std::string_view kVersion2 = "0::";
  constexpr int kMaxLines = 64;
  std::string line;
  for (int i = 0; i < kMaxLines && std::getline(file, line); ++i) {
    if (line.starts_with(kVersion2)) {
      return "/sys/fs/cgroup" + line.substr(kVersion2.size());
    }
  }
  return "";
}

bool Write(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.get() >= 0 && ::write(file.get(), text.data(), text.size()) ==
                                static_cast<ssize_t>(text.size());
}

}  // namespace

CommandCgroup CommandCgroup::Make() {
  CommandCgroup made;
  const std::string own = OwnFolder();
  // A folder of another kind would take the name and mean nothing.
  if (own.empty() || ::access((own + "/cgroup.procs").c_str(), W_OK) != 0) {
    return made;
  }
  const std::string folder = own + "/tenure-" + std::to_string(::getpid());
  if (::mkdir(folder.c_str(), 0755) != 0) return made;
  if (::access((folder + "/cgroup.kill").c_str(), W_OK) != 0) {
    ::rmdir(folder.c_str());
    return made;
  }
  made.folder_ = folder;
  return made;
}

void CommandCgroup::Join() const {
  if (made()) Write(folder_ + "/cgroup.procs", "0");
}

void CommandCgroup::Kill() const {
  if (made()) Write(folder_ + "/cgroup.kill", "1");
}

void CommandCgroup::Remove() const {
  if (made()) ::rmdir(folder_.c_str());
}

}  // namespace tenure
