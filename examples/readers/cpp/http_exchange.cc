#include "http_exchange.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

BootTime SinceBoot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) +
         std::chrono::nanoseconds(now.tv_nsec);
}

Connection::Connection(const std::string& address, const std::string& request,
                       BootTime deadline) {
  if (!Connect(address, deadline)) {
    Close();
    return;
  }
  for (std::size_t sent = 0; sent < request.size();) {
    const ssize_t count =
        send(fd_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EAGAIN || !Wait(POLLOUT, deadline)) {
      Close();
      return;
    }
  }
}

Connection::~Connection() { Close(); }

void Connection::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool Connection::Connect(const std::string& address, BootTime deadline) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const std::size_t colon = address.rfind(':');
  if (address.find('/') != std::string::npos) {
    auto* local = reinterpret_cast<sockaddr_un*>(&storage);
    if (address.size() >= sizeof(local->sun_path)) return false;
    local->sun_family = AF_UNIX;
    std::memcpy(local->sun_path, address.data(), address.size());
    size = sizeof(*local);
  } else {
    if (colon == std::string::npos) return false;
    auto* tcp = reinterpret_cast<sockaddr_in*>(&storage);
    tcp->sin_family = AF_INET;
    const int port = std::atoi(address.c_str() + colon + 1);
    tcp->sin_port = htons(static_cast<std::uint16_t>(port));
    if (inet_pton(AF_INET, address.substr(0, colon).c_str(), &tcp->sin_addr) !=
        1) {
      return false;
    }
    size = sizeof(*tcp);
  }
  fd_ =
      socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return false;
  if (connect(fd_, reinterpret_cast<sockaddr*>(&storage), size) == 0) {
    return true;
  }
  int error = 0;
  socklen_t length = sizeof(error);
  return errno == EINPROGRESS && Wait(POLLOUT, deadline) &&
         getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) == 0 &&
         error == 0;
}

// False if nothing happened before `deadline`.
bool Connection::Wait(short events, BootTime deadline) const {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - SinceBoot());
    if (left.count() <= 0) return false;
    pollfd wanted{fd_, events, 0};
    const int longest = 60'000;
    const int ready = poll(
        &wanted, 1, static_cast<int>(std::min<long>(left.count(), longest)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Connection::Heard Connection::Read(BootTime deadline, std::string* received) {
  if (!open()) return Heard::kEnd;
  char part[4096];
  while (Wait(POLLIN, deadline)) {
    const ssize_t count = recv(fd_, part, sizeof(part), 0);
    if (count > 0) {
      received->append(part, static_cast<std::size_t>(count));
      return Heard::kSomething;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) return Heard::kEnd;
  }
  return Heard::kNothing;
}

std::optional<HttpAnswer> HttpExchange(const std::string& address,
                                       const std::string& request,
                                       BootTime deadline) {
  Connection connection(address, request, deadline);
  if (!connection.open()) return std::nullopt;
  std::string answer;
  Connection::Heard heard = Connection::Heard::kSomething;
  while (heard == Connection::Heard::kSomething) {
    if (answer.size() > kLargestAnswer) return std::nullopt;
    heard = connection.Read(deadline, &answer);
  }
  // "HTTP/1.1 200 OK"
  const std::size_t head = answer.find("\r\n\r\n");
  if (heard != Connection::Heard::kEnd || head == std::string::npos ||
      answer.compare(0, 7, "HTTP/1.") != 0) {
    return std::nullopt;
  }
  const std::string body = answer.substr(head + 4);
  const std::string length = "\r\nContent-Length: ";
  const std::size_t told = answer.find(length);
  if (told < head && std::strtoull(answer.c_str() + told + length.size(),
                                   nullptr, 10) != body.size()) {
    return std::nullopt;  // cut short
  }
  return HttpAnswer{std::atoi(answer.c_str() + 9), body};
}
