#include "sidecar/drill/line_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/gate/deadline.h"

namespace tenure {
namespace {

std::string Reason(int error) { return std::system_category().message(error); }

void MakeNonblocking(int fd) {
  if (fd >= 0) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// False once `deadline` has passed.
bool WaitFor(int fd, short what, const Deadline& deadline) {
  const Duration left = deadline.Remaining(ReadClocks().instant);
  if (left <= Duration{0}) return false;
  pollfd one{fd, what, 0};
  const auto milliseconds =
      std::chrono::ceil<std::chrono::milliseconds>(left).count();
  ::poll(&one, 1, static_cast<int>(std::min<long>(milliseconds, 60'000)));
  return true;
}

Result<sockaddr_un> Address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Fail(ErrorCode::kUnavailable,
                "expected a path of at most 107 bytes for a socket, found " +
                    path + "; set TMPDIR to a shorter one");
  }
  path.copy(address.sun_path, path.size());
  return address;
}

Descriptor NewSocket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

}  // namespace

LineStream::LineStream(Descriptor socket) : in_(std::move(socket)) {
  MakeNonblocking(in_.get());
}

LineStream::LineStream(Descriptor in, Descriptor out)
    : in_(std::move(in)), out_(std::move(out)) {
  MakeNonblocking(in_.get());
  MakeNonblocking(out_.get());
}

Result<LineStream> LineStream::Connect(const std::string& path) {
  const Result<sockaddr_un> address = Address(path);
  if (!address) return std::unexpected(address.error());
  Descriptor made = NewSocket();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&*address),
                sizeof *address) != 0) {
    return Fail(ErrorCode::kUnavailable,
                "expected to connect to " + path + ", found: " + Reason(errno));
  }
  return LineStream(std::move(made));
}

void LineStream::Close() {
  in_.Close();
  out_.Close();
}

Result<void> LineStream::Write(std::string_view line, Duration limit) {
  const Deadline deadline{ReadClocks().instant, limit};
  std::string text(line);
  text += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t sent =
        out_.get() >= 0
            ? ::write(out_.get(), left.data(), left.size())
            : ::send(in_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      left.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EAGAIN && WaitFor(out(), POLLOUT, deadline)) continue;
    Close();
    return Fail(ErrorCode::kUnavailable, error == EAGAIN
                                             ? "it takes no more lines"
                                         : error == EPIPE ? "it ended"
                                                          : Reason(error));
  }
  return {};
}

Result<std::string> LineStream::Read(Duration limit) {
  const Deadline deadline{ReadClocks().instant, limit};
  while (true) {
    if (auto line = Cut()) return *std::move(line);
    if (!Fill()) {
      if (auto line = Cut()) return *std::move(line);
      Close();
      return Fail(ErrorCode::kUnavailable, "it ended");
    }
    if (buffer_.find('\n') != std::string::npos) continue;
    if (!WaitFor(in_.get(), POLLIN, deadline)) {
      Close();
      return Fail(ErrorCode::kDeadlineExceeded, "no answer in time");
    }
  }
}

std::optional<std::string> LineStream::Take() {
  if (auto line = Cut()) return line;
  if (in_.get() < 0) return std::nullopt;
  const bool alive = Fill();
  auto line = Cut();
  if (!alive && !line) Close();
  return line;
}

bool LineStream::Fill() {
  std::array<char, 4096> piece;
  while (buffer_.size() <= kMaxLine) {
    const ssize_t got = ::read(in_.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) return false;
    buffer_.append(piece.data(), static_cast<std::size_t>(got));
  }
  // Whole lines are there to be taken first.
  return buffer_.find('\n') != std::string::npos;
}

std::optional<std::string> LineStream::Cut() {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

Result<Descriptor> ListenAt(const std::string& path) {
  const Result<sockaddr_un> address = Address(path);
  if (!address) return std::unexpected(address.error());
  constexpr int kBacklog = 32;
  Descriptor made = NewSocket();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&*address),
             sizeof *address) != 0 ||
      ::listen(made.get(), kBacklog) != 0) {
    return Fail(ErrorCode::kUnavailable,
                "expected to listen at " + path + ", found: " + Reason(errno));
  }
  return made;
}

}  // namespace tenure
