#include "sidecar/telemetry/line_writer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "sidecar/base/check.h"
#include "sidecar/base/instant.h"
#include "sidecar/coordinator/signals_blocked.h"

namespace tenure {
namespace {

// A pipe that polls writable takes this much without blocking.
constexpr std::size_t kChunk = 4096;

}  // namespace

LineWriter::LineWriter(int fd, std::size_t limit)
    : fd_(fd), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), limit_(limit) {
  CHECK(wake_ >= 0);
  // A broken pipe is then an error of write(2).
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { Run(); });
}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  Wake();
  thread_.join();
  close(wake_);
}

void LineWriter::Write(std::string_view line) {
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() - written_ + line.size() > limit_) {
      ++dropped_;
      return;
    }
    was_empty = waiting_.empty();
    waiting_ += line;
  }
  if (was_empty) Wake();
}

std::uint64_t LineWriter::Dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

bool LineWriter::Flush(Duration limit) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, limit, [this] { return waiting_.empty(); });
}

void LineWriter::Wake() {
  // Fails only when the count is full, and then the thread is awake anyway.
  [[maybe_unused]] const int result = eventfd_write(wake_, 1);
}

bool LineWriter::AwaitWritable(bool interested) {
  std::array<pollfd, 2> polled{
      {{wake_, POLLIN, 0}, {interested ? fd_ : -1, POLLOUT, 0}}};
  poll(polled.data(), polled.size(), -1);
  if (polled[0].revents != 0) {
    eventfd_t count = 0;
    [[maybe_unused]] const int result = eventfd_read(wake_, &count);
  }
  return polled[1].revents != 0;
}

void LineWriter::Run() {
  bool interested = false;
  while (true) {
    const bool writable = AwaitWritable(interested);
    if (writable) WriteSome();
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    interested = !waiting_.empty();
    if (!interested) emptied_.notify_all();
  }
}

void LineWriter::WriteSome() {
  std::array<char, kChunk> chunk;
  std::size_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    size = std::min(chunk.size(), waiting_.size() - written_);
    std::copy_n(waiting_.data() + written_, size, chunk.data());
  }
  const ssize_t taken = write(fd_, chunk.data(), size);
  if (taken < 0 && (errno == EINTR || errno == EAGAIN)) return;

  const std::lock_guard lock(mutex_);
  if (taken < 0) {
    // Nobody will read these, and perhaps none after; the rest is counted.
    dropped_ += static_cast<std::uint64_t>(
        std::count(waiting_.begin() + static_cast<std::ptrdiff_t>(written_),
                   waiting_.end(), '\n'));
    written_ = waiting_.size();
  } else {
    written_ += static_cast<std::size_t>(taken);
  }
  if (written_ == waiting_.size()) {
    waiting_.clear();
    written_ = 0;
  } else if (written_ > limit_ / 2) {
    waiting_.erase(0, written_);
    written_ = 0;
  }
}

}  // namespace tenure
