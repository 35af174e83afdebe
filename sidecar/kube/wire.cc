#include "sidecar/kube/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace tenure {
namespace {

using std::chrono::milliseconds;

// Best effort: no answer is wrong for want of one of these.
void SetOption(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof(value));
}

}  // namespace

int NewWireSocket(int family, Duration patience) {
  const int fd =
      ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fd;
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  const auto limit =
      std::clamp(std::chrono::duration_cast<milliseconds>(patience),
                 milliseconds{250}, milliseconds{60'000});
  SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(limit.count()));
  return fd;
}

void Wire::StartTls(std::shared_ptr<const TlsContext> context) {
  tls_ = std::make_unique<TlsSession>(std::move(context), fd_);
}

IoResult Wire::Handshake() { return Keep(tls_->Handshake()); }

IoResult Wire::Write(std::string_view data) {
  if (tls_ != nullptr) return Keep(tls_->Write(data));
  const ssize_t sent = ::send(fd_, data.data(), data.size(), MSG_NOSIGNAL);
  if (sent >= 0) {
    plain_out_ += static_cast<std::uint64_t>(sent);
    return IoResult{IoState::kDone, static_cast<std::size_t>(sent)};
  }
  if (errno == EAGAIN || errno == EINTR) return IoResult{IoState::kWantWrite};
  return Keep(IoResult{IoState::kFailed});
}

IoResult Wire::Read(char* data, std::size_t size) {
  if (tls_ != nullptr) return Keep(tls_->Read(data, size));
  const ssize_t got = ::recv(fd_, data, size, 0);
  if (got > 0) return IoResult{IoState::kDone, static_cast<std::size_t>(got)};
  if (got == 0) return Keep(IoResult{IoState::kClosed});
  if (errno == EAGAIN || errno == EINTR) return IoResult{IoState::kWantRead};
  return Keep(IoResult{IoState::kFailed});
}

bool Wire::Quiet() {
  if (tls_ != nullptr) return tls_->Quiet();
  char byte = 0;
  const ssize_t got = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EINTR);
}

void Wire::SayGoodbye() {
  if (tls_ != nullptr) tls_->SayGoodbye();
}

std::uint64_t Wire::bytes_out() const {
  return tls_ != nullptr ? tls_->bytes_out() : plain_out_;
}

IoResult Wire::Keep(IoResult result) {
  if (result.state == IoState::kClosed) failure_ = "closed by the server";
  if (result.state == IoState::kFailed) {
    failure_ = tls_ != nullptr ? tls_->failure()
                               : std::system_category().message(errno);
  }
  return result;
}

}  // namespace tenure
