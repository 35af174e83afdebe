#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <expected>
#include <filesystem>
#include <system_error>

#include "sidecar/server/limits.h"
#include "sidecar/server/listening_socket.h"
#include "sidecar/server/port_owner.h"

namespace tenure {
namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 512;
// Each fails only if another process did the same at the same moment.
constexpr int kNameAttempts = 8;
constexpr int kLockAttempts = 200;
constexpr int kLockPauseMs = 10;

std::unexpected<Error> Unavailable(std::string text) {
  return Fail(ErrorCode::kUnavailable, std::move(text));
}

std::unexpected<Error> SystemError(const std::string& what, int error,
                                   const char* flag) {
  return Unavailable(what + ": " + std::strerror(error) +
                     "; choose another path with " + flag);
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  static_assert(sizeof address.sun_path == kMaxSocketPathBytes + 1);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<void> MakeFolder(const std::string& path, const char* flag) {
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) return {};
  std::error_code error;
  if (fs::exists(folder, error)) return {};
  if (!fs::create_directories(folder, error) && error) {
    return SystemError("cannot make the folder " + folder.string(),
                       error.value(), flag);
  }
  // Whatever the umask: connect() needs search permission on it.
  fs::permissions(folder, fs::perms(0755), error);
  return {};
}

// An error if anything but an abandoned socket is at `path`.
Result<void> CheckAbandoned(const std::string& path, const char* flag) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode)) {
    return Unavailable("expected a socket or nothing at " + path +
                       ", found another file; remove it or choose another "
                       "path with " +
                       flag);
  }
  const ListeningSocket probe(
      socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (probe.fd() < 0) return SystemError("cannot make a socket", errno, flag);
  const sockaddr_un address = AddressOf(path);
  if (connect(probe.fd(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0) {
    if (errno == ECONNREFUSED || errno == ENOENT) return {};
    // A full backlog: somebody listens, and is slow.
    if (errno != EAGAIN) {
      return SystemError("cannot tell who uses " + path, errno, flag);
    }
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  std::string owner;
  if (getsockopt(probe.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
      peer.pid > 0) {
    owner = " by " + ProcessName(peer.pid);
  }
  return Unavailable("expected " + path + " to be free, found it in use" +
                     owner + "; choose another path with " + flag);
}

Result<gid_t> GroupId(const std::string& group) {
  gid_t id = 0;
  const char* const end = group.data() + group.size();
  const auto parsed = std::from_chars(group.data(), end, id);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return id;
  struct group entry{};
  struct group* found = nullptr;
  std::array<char, 16 * 1024> text;
  if (getgrnam_r(group.c_str(), &entry, text.data(), text.size(), &found) !=
          0 ||
      found == nullptr) {
    return Unavailable("expected the name or number of a group, found \"" +
                       group + "\"; set --control-socket-group");
  }
  return found->gr_gid;
}

// A folder that is kept open: a name in it fits into an address however long
// the folder's own path is, and of two processes that look at a socket and
// replace it only one does so at a time.
class Folder {
 public:
  explicit Folder(const std::string& path)
      : path_(path.empty() ? "." : path), fd_(Open(path_.c_str())) {
    // Whoever can read the folder could hold the lock: it delays us at most.
    for (int i = 0; i < kLockAttempts && ok() && !Lock(); ++i) {
      static_cast<void>(
          poll(nullptr, 0, kLockPauseMs));  // the kernel tells of no unlocking
    }
  }

  bool ok() const { return fd_.fd() >= 0; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  // For bind().
  sockaddr_un Address(const std::string& name) const {
    const std::string path = Path(name);
    if (path.size() <= kMaxSocketPathBytes) return AddressOf(path);
    return AddressOf("/proc/self/fd/" + std::to_string(fd_.fd()) + "/" + name);
  }

 private:
  static int Open(const char* path) {
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // May be entered but not listed: used without a lock.
    return fd >= 0 ? fd : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  bool Lock() const {
    return flock(fd_.fd(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  }

  const std::string path_;
  const ListeningSocket fd_;  // closes it, which unlocks it
};

// Nobody else's: of this process, and not to be guessed.
std::string TemporaryName() {
  std::array<unsigned char, 8> random{};
  // What little it may leave out the process id makes up for.
  [[maybe_unused]] const ssize_t got =
      getrandom(random.data(), random.size(), GRND_NONBLOCK);
  std::string name = ".tenure-" + std::to_string(getpid()) + "-";
  constexpr char kDigits[] = "0123456789abcdef";
  for (const unsigned char byte : random) {
    name += kDigits[byte >> 4U];
    name += kDigits[byte & 15U];
  }
  return name;
}

// Binds to a name that was free; bind() takes no other. Its name, or errno.
std::expected<std::string, int> BindBeside(const Folder& folder, int fd) {
  int error = EADDRINUSE;
  for (int i = 0; i < kNameAttempts && error == EADDRINUSE; ++i) {
    std::string name = TemporaryName();
    const sockaddr_un address = folder.Address(name);
    if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
        0) {
      return name;
    }
    error = errno;
  }
  return std::unexpected(error);
}

Result<void> GiveTo(const std::string& path, const std::string& before,
                    const std::string& group) {
  if (group.empty()) return {};
  const Result<gid_t> id = GroupId(group);
  if (!id) return std::unexpected(id.error());
  if (lchown(before.c_str(), static_cast<uid_t>(-1), *id) == 0) return {};
  return Unavailable("cannot give " + path + " to the group " + group + ": " +
                     std::strerror(errno) +
                     "; the process must belong to it, or set "
                     "--control-socket-group");
}

}  // namespace

Result<ListeningSocket> ListenOnUnix(const std::string& path, unsigned mode,
                                     const std::string& group,
                                     const char* flag) {
  if (path.empty() || path.back() == '/' || path.size() > kMaxSocketPathBytes ||
      path.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected the path of a socket of at most 107 bytes, found " +
                    std::to_string(path.size()) + " bytes: \"" + path +
                    "\"; choose another with " + flag);
  }
  Result<void> ready = MakeFolder(path, flag);
  if (!ready) return std::unexpected(ready.error());
  const Folder folder(fs::path(path).parent_path().string());
  if (!folder.ok()) {
    return SystemError("cannot open the folder of " + path, errno, flag);
  }
  ready = CheckAbandoned(path, flag);
  if (!ready) return std::unexpected(ready.error());

  ListeningSocket listening(
      socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (listening.fd() < 0) {
    return SystemError("cannot make a socket", errno, flag);
  }
  const auto name = BindBeside(folder, listening.fd());
  if (!name) {
    return SystemError("cannot make the socket " + path, name.error(), flag);
  }
  const std::string before = folder.Path(*name);
  // From here on the name goes away with the socket.
  ready = listening.OwnPath(before);
  if (ready) ready = GiveTo(path, before, group);
  if (!ready) return std::unexpected(ready.error());
  if (chmod(before.c_str(), mode) != 0 ||
      listen(listening.fd(), kBacklog) != 0 ||
      rename(before.c_str(), path.c_str()) != 0) {
    return SystemError("cannot make the socket " + path, errno, flag);
  }
  listening.MoveOwnedPath(path);
  return listening;
}

}  // namespace tenure
