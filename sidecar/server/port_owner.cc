#include "sidecar/server/port_owner.h"

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace tenure {
namespace {

namespace fs = std::filesystem;

// Entries looked at before giving up: this only serves an error message.
constexpr int kMaxEntries = 20'000;

struct Listening {
  unsigned long inode = 0;
  unsigned long user = 0;
};

std::optional<Listening> FindListening(const char* table, std::uint16_t port) {
  std::ifstream file(table);
  std::string line;
  for (int i = 0; i < kMaxEntries && std::getline(file, line); ++i) {
    unsigned local_port = 0;
    unsigned state = 0;
    Listening found;
    // "sl local:port remote:port st tx:rx tr:when retrnsmt uid timeout inode"
    const int fields = std::sscanf(
        line.c_str(), " %*d: %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %lu %*s %lu",
        &local_port, &state, &found.user, &found.inode);
    constexpr unsigned kListen = 0x0A;
    if (fields == 4 && local_port == port && state == kListen) return found;
  }
  return std::nullopt;
}

bool HasSocket(const fs::path& process, const std::string& link) {
  std::error_code error;
  int count = 0;
  for (fs::directory_iterator it(process / "fd", error), end;
       !error && it != end && count < kMaxEntries; it.increment(error)) {
    ++count;
    std::error_code unreadable;
    if (fs::read_symlink(it->path(), unreadable) == link) return true;
  }
  return false;
}

}  // namespace

std::string ProcessName(long pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  const std::string process = "process " + std::to_string(pid);
  return name.empty() ? process : process + " (" + name + ")";
}

std::string PortOwner(std::uint16_t port) {
  std::optional<Listening> found = FindListening("/proc/net/tcp", port);
  if (!found) found = FindListening("/proc/net/tcp6", port);
  if (!found) return {};
  const std::string link = "socket:[" + std::to_string(found->inode) + "]";
  std::error_code error;
  int count = 0;
  for (fs::directory_iterator it("/proc", error), end;
       !error && it != end && count < kMaxEntries; it.increment(error)) {
    ++count;
    const std::string name = it->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (HasSocket(it->path(), link)) return ProcessName(std::stol(name));
  }
  return "a process of user " + std::to_string(found->user);
}

}  // namespace tenure
