#include "sidecar/gate/local_link.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "sidecar/base/check.h"
#include "sidecar/gate/how_to_reach.h"

namespace tenure {
namespace {

constexpr std::size_t kMaxAnswer = 64 * 1024;

std::string SystemError(int error) {
  return std::system_category().message(error);
}

Result<Descriptor> Connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string wish = "expected a sidecar to answer at " + path;
  if (path.size() >= sizeof address.sun_path) {
    return Fail(ErrorCode::kNotSent,
                wish + ", found: a path longer than 107 bytes");
  }
  path.copy(address.sun_path, path.size());
  Descriptor made(
      ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.get() < 0 ||
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
      ::connect(made.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0) {
    const std::error_code error(errno, std::system_category());
    return Fail(ErrorCode::kNotSent, wish + ", found: " + error.message() +
                                         HowToReach(error, "--control-socket"));
  }
  return made;
}

// A question is far smaller than a socket's buffer: all of it, or an error.
bool Send(int socket, const std::string& method, const std::string& target) {
  std::string text = method + " " + target +
                     " HTTP/1.1\r\nHost: localhost\r\n"
                     "Accept: application/json\r\n";
  if (method == "POST") text += "Content-Length: 0\r\n";
  text += "\r\n";
  return ::send(socket, text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

bool StartsWithField(std::string_view line, std::string_view name) {
  return line.size() > name.size() &&
         std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
         });
}

template <typename Number>
bool ReadNumber(std::string_view text, Number* number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto [at, error] =
      std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc{} && at != text.data();
}

struct Head {
  int status = 0;
  std::size_t size = 0;  // of the head, with its empty line
  std::size_t body = 0;
  bool last = false;  // the sidecar closes after this answer
};

// Empty: not whole yet. An answer that is none has status 0.
std::optional<Head> ReadHead(std::string_view text) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  Head head;
  head.size = end + kEnd.size();
  std::string_view lines = text.substr(0, end);
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (!lines.starts_with(kVersion) ||
      !ReadNumber(lines.substr(kVersion.size()), &head.status)) {
    return head;
  }
  for (std::size_t at = lines.find("\r\n"); at != std::string_view::npos;
       at = lines.find("\r\n")) {
    lines.remove_prefix(at + 2);
    const std::string_view line = lines.substr(0, lines.find("\r\n"));
    constexpr std::string_view kLength = "content-length:";
    if (StartsWithField(line, kLength) &&
        !ReadNumber(line.substr(kLength.size()), &head.body)) {
      head.status = 0;
    }
    if (StartsWithField(line, "connection:")) {
      head.last = line.find("close") != std::string_view::npos;
    }
  }
  return head;
}

// What is there now. False: closed by the other side, or broken.
bool ReadAll(int socket, std::string* text) {
  std::array<char, 4096> piece;
  while (text->size() <= kMaxAnswer) {
    const ssize_t got = ::recv(socket, piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (got <= 0) return false;
    text->append(piece.data(), static_cast<std::size_t>(got));
  }
  return false;
}

}  // namespace

void LocalLink::Close() {
  socket_.Close();
  buffer_.clear();
  waiting_ = false;
}

Result<void> LocalLink::Ask(const std::string& method,
                            const std::string& target) {
  CHECK(!waiting_);
  // A kept connection may have been closed in the meantime: once more on a new
  // one, for nothing of the question has arrived then.
  if (socket_.get() >= 0 && Send(socket_.get(), method, target)) {
    waiting_ = true;
    return {};
  }
  Close();
  Result<Descriptor> made = Connect(path_);
  if (!made) return std::unexpected(made.error());
  socket_ = *std::move(made);
  if (!Send(socket_.get(), method, target)) {
    const std::string why = SystemError(errno);
    Close();
    return Fail(ErrorCode::kNotSent,
                "expected a sidecar to listen at " + path_ + ", found: " + why);
  }
  waiting_ = true;
  return {};
}

std::optional<Result<LinkAnswer>> LocalLink::Receive() {
  const bool alive = ReadAll(socket_.get(), &buffer_);
  const std::optional<Head> head = ReadHead(buffer_);
  if (waiting_ && head && head->status != 0 && head->body <= kMaxAnswer &&
      buffer_.size() >= head->size + head->body) {
    LinkAnswer answer{head->status, buffer_.substr(head->size, head->body)};
    buffer_.erase(0, head->size + head->body);
    waiting_ = false;
    if (!alive || head->last) Close();
    return answer;
  }
  if (alive && waiting_ && (!head || head->status != 0)) return std::nullopt;
  Close();
  return Fail(ErrorCode::kUnavailable,
              "expected the sidecar at " + path_ +
                  " to answer, found: it closed the connection");
}

void EventFeed::Open(const std::string& target) {
  socket_.Close();
  Result<Descriptor> made = Connect(path_);
  if (made && Send(made->get(), "GET", target)) socket_ = *std::move(made);
}

void EventFeed::Receive() {
  std::string ignored;
  const bool alive = ReadAll(socket_.get(), &ignored);
  // An answer that ends at once is a refusal: too many watch already.
  if (!alive || ignored.starts_with("HTTP/1.1 4") ||
      ignored.starts_with("HTTP/1.1 5")) {
    socket_.Close();
  }
}

}  // namespace tenure
