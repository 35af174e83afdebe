#include "sidecar/server/listening_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sidecar/server/port_owner.h"

namespace tenure {
namespace {

constexpr int kBacklog = 512;

struct TcpChoice {
  bool v6 = false;
  bool only_v6 = true;
  bool any = false;
  const char* text = "";
};

TcpChoice ChoiceOf(TcpAddress address) {
  switch (address) {
    case TcpAddress::kLoopback4:
      return {false, true, false, "127.0.0.1"};
    case TcpAddress::kLoopback6:
      return {true, true, false, "[::1]"};
    case TcpAddress::kAny4:
      return {false, true, true, "0.0.0.0"};
    case TcpAddress::kAnyDual:
      return {true, false, true, "[::]"};
  }
  return {};
}

int Bind(int fd, const TcpChoice& choice, std::uint16_t port) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (choice.v6) {
    auto* address = reinterpret_cast<sockaddr_in6*>(&storage);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(port);
    address->sin6_addr = choice.any ? in6addr_any : in6addr_loopback;
    size = sizeof *address;
  } else {
    auto* address = reinterpret_cast<sockaddr_in*>(&storage);
    address->sin_family = AF_INET;
    address->sin_port = htons(port);
    address->sin_addr.s_addr = htonl(choice.any ? INADDR_ANY : INADDR_LOOPBACK);
    size = sizeof *address;
  }
  return bind(fd, reinterpret_cast<const sockaddr*>(&storage), size);
}

void SetOption(int fd, int level, int option, int value) {
  // Failing costs speed or a restart within a minute, nothing else.
  static_cast<void>(setsockopt(fd, level, option, &value, sizeof value));
}

bool NoSuchFamily(int error) {
  return error == EAFNOSUPPORT || error == EADDRNOTAVAIL ||
         error == EPROTONOSUPPORT;
}

Error PortError(const TcpChoice& choice, std::uint16_t port, const char* flag,
                int error) {
  std::string where = choice.text;
  where += ":" + std::to_string(port);
  if (error == EADDRINUSE) {
    const std::string owner = PortOwner(port);
    return {ErrorCode::kUnavailable, "expected " + where +
                                         " to be free, found it in use" +
                                         (owner.empty() ? "" : " by " + owner) +
                                         "; choose another with " + flag};
  }
  return {ErrorCode::kUnavailable, "cannot listen on " + where + ": " +
                                       std::strerror(error) +
                                       "; choose another port with " + flag};
}

}  // namespace

ListeningSocket::~ListeningSocket() {
  if (fd_ >= 0) close(fd_);
  if (!path_.empty() && InPlace()) unlink(path_.c_str());
}

bool ListeningSocket::InPlace() const {
  if (path_.empty()) return true;
  struct stat found{};
  return lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ &&
         found.st_ino == inode_;
}

ListeningSocket& ListeningSocket::operator=(ListeningSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

std::uint16_t ListeningSocket::port() const {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(fd_, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return 0;
  }
  if (storage.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
  }
  if (storage.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  }
  return 0;
}

Result<void> ListeningSocket::OwnPath(const std::string& path) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) {
    return Fail(ErrorCode::kUnavailable,
                "cannot look at " + path + ": " + std::strerror(errno));
  }
  path_ = path;
  device_ = found.st_dev;
  inode_ = found.st_ino;
  return {};
}

Result<std::optional<ListeningSocket>> ListenOnTcp(TcpAddress address,
                                                   std::uint16_t port,
                                                   const char* flag) {
  const TcpChoice choice = ChoiceOf(address);
  const int fd = socket(choice.v6 ? AF_INET6 : AF_INET,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 && choice.v6 && NoSuchFamily(errno)) return std::nullopt;
  if (fd < 0) return std::unexpected(PortError(choice, port, flag, errno));
  ListeningSocket listening(fd);
  SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  // Inherited by accepted sockets: each reply is one write.
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (choice.v6) SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, choice.only_v6);
  if (Bind(fd, choice, port) != 0) {
    if (choice.v6 && NoSuchFamily(errno)) return std::nullopt;
    return std::unexpected(PortError(choice, port, flag, errno));
  }
  // Another socket on the same port can also be found only here.
  if (listen(fd, kBacklog) != 0) {
    return std::unexpected(PortError(choice, port, flag, errno));
  }
  return listening;
}

}  // namespace tenure
