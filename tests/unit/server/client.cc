#include "tests/unit/server/client.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace tenure {
namespace {

constexpr int kBoundMs = 30'000;

int Connected(int fd, const sockaddr* address, socklen_t size) {
  if (fd >= 0 && connect(fd, address, size) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

}  // namespace

Client Client::Unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(),
              std::min(path.size(), sizeof address.sun_path - 1));
  return Client(Connected(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                          reinterpret_cast<const sockaddr*>(&address),
                          sizeof address));
}

Client Client::Tcp(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return Client(Connected(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
                          reinterpret_cast<const sockaddr*>(&address),
                          sizeof address));
}

Client Client::Tcp6(std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_loopback;
  return Client(Connected(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0),
                          reinterpret_cast<const sockaddr*>(&address),
                          sizeof address));
}

Client::~Client() { Close(); }

void Client::SetReceiveBuffer(int bytes) {
  setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void Client::CloseSending() { shutdown(fd_, SHUT_WR); }

void Client::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool Client::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t Client::SendSome(std::string_view bytes) {
  const ssize_t sent =
      send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

bool Client::Fill() {
  pollfd ready{fd_, POLLIN, 0};
  if (poll(&ready, 1, kBoundMs) != 1) {
    ADD_FAILURE() << "nothing from the server in time, after: " << received_;
    return false;
  }
  std::array<char, 16 * 1024> bytes;
  const ssize_t got = recv(fd_, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  received_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

std::string Client::ReadReply(bool has_body) {
  std::string reply = ReadUntil("\r\n\r\n");
  const std::string_view name = "Content-Length: ";
  const std::size_t field = reply.find(name);
  if (!has_body || field == std::string::npos) return reply;
  const auto length =
      static_cast<std::size_t>(std::atol(reply.c_str() + field + name.size()));
  while (received_.size() < length && Fill()) {
  }
  const std::size_t part = std::min(length, received_.size());
  reply += received_.substr(0, part);
  received_.erase(0, part);
  return reply;
}

std::string Client::ReadUntil(std::string_view mark) {
  std::size_t from = 0;
  std::size_t at = std::string::npos;
  while ((at = received_.find(mark, from)) == std::string::npos) {
    from = received_.size() - std::min(received_.size(), mark.size());
    if (!Fill()) return std::exchange(received_, {});
  }
  std::string found = received_.substr(0, at + mark.size());
  received_.erase(0, found.size());
  return found;
}

std::string Client::ReadToEnd() {
  while (Fill()) {
  }
  return std::exchange(received_, {});
}

bool Client::ReadsEnd() {
  while (true) {
    pollfd ready{fd_, POLLIN, 0};
    if (poll(&ready, 1, kBoundMs) != 1) return false;
    std::array<char, 16 * 1024> bytes;
    if (recv(fd_, bytes.data(), bytes.size(), 0) <= 0) return true;
  }
}

std::string Client::Ask(std::string_view request, bool has_body) {
  Send(request);
  return ReadReply(has_body);
}

std::string Client::Get(const std::string& target, const std::string& fields) {
  return Ask("GET " + target + " HTTP/1.1\r\n" + fields + "\r\n");
}

std::string Client::Post(const std::string& target, const std::string& body) {
  return Ask("POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" +
             "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
             body);
}

int StatusOf(const std::string& reply) {
  return reply.starts_with("HTTP/1.1 ") ? std::atoi(reply.c_str() + 9) : 0;
}

std::string BodyOf(const std::string& reply) {
  const std::size_t head = reply.find("\r\n\r\n");
  return head == std::string::npos ? "" : reply.substr(head + 4);
}

}  // namespace tenure
