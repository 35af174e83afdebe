#include "tests/unit/embedded/loopback_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace tenure::embedded {

using std::chrono::milliseconds;

LoopbackClient::LoopbackClient(std::uint16_t port, int receive_buffer) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                 sizeof receive_buffer);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

LoopbackClient::~LoopbackClient() {
  if (socket_ >= 0) ::close(socket_);
}

bool LoopbackClient::Send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n =
        ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool LoopbackClient::SendRequest(const std::string& method,
                                 const std::string& path,
                                 const std::string& body,
                                 const std::string& more_headers) {
  return Send(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
              "Content-Length: " + std::to_string(body.size()) + "\r\n" +
              more_headers + "\r\n" + body);
}

bool LoopbackClient::Fill(milliseconds limit) {
  pollfd wait{socket_, POLLIN, 0};
  if (ended_ || ::poll(&wait, 1, static_cast<int>(limit.count())) <= 0) {
    return false;
  }
  char bytes[65536];
  const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
  if (n <= 0) {
    ended_ = true;
    reset_ = n < 0 && errno == ECONNRESET;
    return false;
  }
  input_.append(bytes, static_cast<std::size_t>(n));
  return true;
}

HttpReply LoopbackClient::ReadHead() {
  std::size_t end = 0;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill(kWaitLimit)) return {};
  }
  HttpReply reply;
  reply.head = input_.substr(0, end + 2);
  input_.erase(0, end + 4);
  reply.code = std::stoi(reply.head.substr(9, 3));
  return reply;
}

HttpReply LoopbackClient::ReadReply() {
  HttpReply reply = ReadHead();
  const std::size_t at = reply.head.find("Content-Length: ");
  if (at == std::string::npos) return reply;
  const std::size_t length = std::stoul(reply.head.substr(at + 16));
  while (input_.size() < length) {
    if (!Fill(kWaitLimit)) return {};
  }
  reply.body = input_.substr(0, length);
  input_.erase(0, length);
  return reply;
}

HttpReply LoopbackClient::Call(const std::string& method,
                               const std::string& path, const std::string& body,
                               const std::string& more_headers) {
  if (!SendRequest(method, path, body, more_headers)) return {};
  return ReadReply();
}

std::optional<std::string> LoopbackClient::TakeLine() {
  std::size_t end = 0;
  while ((end = input_.find('\n')) == std::string::npos) {
    if (!Fill(kWaitLimit)) return std::nullopt;
  }
  std::string line = input_.substr(0, end + 1);
  input_.erase(0, end + 1);
  return line;
}

nlohmann::json LoopbackClient::ReadEvent() {
  // Each event is a line; chunk sizes and ends stand on lines of their own.
  while (const auto line = TakeLine()) {
    if (line->starts_with("{")) return nlohmann::json::parse(*line);
    if (line->starts_with("0\r")) break;
  }
  return nlohmann::json();
}

End LoopbackClient::WaitEnd(milliseconds limit) {
  while (Fill(limit)) {
  }
  if (!ended_) return End::kOpen;
  return reset_ ? End::kReset : End::kClosed;
}

}  // namespace tenure::embedded
