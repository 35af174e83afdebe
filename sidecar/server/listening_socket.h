// ListeningSocket: a bound and listening socket, made with errors a person can
// act on.
//
// Thread safety: one thread at a time.
// Invariants: a Unix socket appears under its path only when it listens with
// its final mode and group; the path is removed with the object, unless
// somebody else has taken it.
#ifndef TENURE_SERVER_LISTENING_SOCKET_H_
#define TENURE_SERVER_LISTENING_SOCKET_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "sidecar/base/error.h"

namespace tenure {

class ListeningSocket {
 public:
  // Takes over `fd`.
  explicit ListeningSocket(int fd) : fd_(fd) {}
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept {
    *this = std::move(other);
  }
  ListeningSocket& operator=(ListeningSocket&& other) noexcept;

  int fd() const { return fd_; }
  std::uint16_t port() const;  // 0 for a Unix socket

  // The caller closes the descriptor from now on.
  int ReleaseFd() { return std::exchange(fd_, -1); }

  // The object at `path` is this socket's.
  Result<void> OwnPath(const std::string& path);
  // Whether its path still leads to it: it may have been removed, or replaced.
  // True for a port.
  bool InPlace() const;
  const std::string& path() const { return path_; }  // "" for a port
  // That object is at `path` now.
  void MoveOwnedPath(const std::string& path) { path_ = path; }

 private:
  int fd_ = -1;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

enum class TcpAddress {
  kLoopback4,  // 127.0.0.1
  kLoopback6,  // [::1]
  kAny4,       // 0.0.0.0
  kAnyDual,    // [::], IPv4 too
};

// `flag` names the option that moves the port, for the error. Nothing, without
// an error, if the machine has no IPv6 and `address` needs it.
Result<std::optional<ListeningSocket>> ListenOnTcp(TcpAddress address,
                                                   std::uint16_t port,
                                                   const char* flag);

// A missing folder is made, 0755. A socket that nobody answers on is replaced;
// anything else at `path` is left alone and is an error, and no other name in
// the folder is touched. `group` is a name or a
// number; empty leaves it.
Result<ListeningSocket> ListenOnUnix(const std::string& path, unsigned mode,
                                     const std::string& group,
                                     const char* flag);

}  // namespace tenure

#endif  // TENURE_SERVER_LISTENING_SOCKET_H_
