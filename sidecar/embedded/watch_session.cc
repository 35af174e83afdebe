#include "sidecar/embedded/watch_session.h"

#include <algorithm>
#include <boost/asio/write.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "sidecar/base/instant.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/server_core.h"
#include "sidecar/embedded/watch_feed.h"

namespace tenure::embedded {
namespace {

namespace net = boost::asio;
using boost::beast::error_code;
using boost::beast::tcp_stream;

// As kube-apiserver: half an hour to an hour if the client names no time, so
// that the watches of many clients do not end together.
constexpr std::int64_t kDefaultSeconds = 1800;
// Longer than any watch is left open; keeps the timer's arithmetic in range.
constexpr std::int64_t kMaxSeconds = 7 * 24 * 3600;

constexpr char kHeader[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: application/json\r\n"
    "Cache-Control: no-cache, private\r\n"
    // After the last event the connection is not used again.
    "Connection: close\r\n";

std::string Chunk(const std::string& text) {
  char size[20];
  const auto end = std::to_chars(size, size + sizeof size, text.size(), 16).ptr;
  return std::string(size, end) + "\r\n" + text + "\r\n";
}

std::int64_t SecondsOf(const WatchFeed& feed) {
  const auto asked = feed.timeout_seconds();
  if (asked) return std::clamp<std::int64_t>(*asked, 0, kMaxSeconds);
  return kDefaultSeconds +
         static_cast<std::int64_t>(ReadEntropy()[0] % kDefaultSeconds);
}

}  // namespace

WatchSession::WatchSession(tcp_stream stream, ConnectionSlot slot,
                           WatchFeed feed, bool chunked)
    : stream_(std::move(stream)),
      slot_(std::move(slot)),
      core_(slot_.core()),
      feed_(std::move(feed)),
      chunked_(chunked),
      end_timer_(stream_.get_executor()),
      bookmark_timer_(stream_.get_executor()) {}

WatchSession::~WatchSession() {
  if (handle_) core_.RemoveWatch(*handle_);
}

void WatchSession::Start() {
  stream_.expires_never();
  handle_ = core_.AddWatch(this);
  sending_ = kHeader;
  sending_ += chunked_ ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n";
  const bool at_once = feed_.timeout_seconds() && *feed_.timeout_seconds() <= 0;
  if (!at_once) {
    pending_ = feed_.Start(core_.table(), ReadClocks().wall);
  }
  ending_ = at_once || feed_.over();
  if (!Frozen() && !pending_.empty()) {
    sending_ += chunked_ ? Chunk(pending_) : pending_;
    pending_.clear();
  }
  WriteOn();
  if (!ending_) ArmTimers();
  WatchForEnd();
}

// Writes what is ready, and then what came meanwhile.
void WatchSession::WriteOn() {
  writing_ = true;
  net::async_write(stream_.socket(), net::buffer(sending_),
                   [self = shared_from_this()](error_code failure, auto) {
                     self->writing_ = false;
                     if (failure) return self->Close();
                     self->Flush();
                   });
}

void WatchSession::OnChange(const LeaseChange& change) {
  if (ending_) return;
  Enqueue(feed_.OnChange(change, ReadClocks().wall));
}

void WatchSession::Enqueue(const std::string& text) {
  if (text.empty()) return;
  pending_ += text;
  if (pending_.size() > core_.limits().watch_queue_bytes) return Close();
  Flush();
}

void WatchSession::Flush() {
  if (writing_ || !handle_ || Frozen()) return;
  if (pending_.empty()) {
    if (!std::exchange(ending_, false)) return;
    if (!chunked_) return Close();
    sending_ = "0\r\n\r\n";
    writing_ = true;
    net::async_write(
        stream_.socket(), net::buffer(sending_),
        [self = shared_from_this()](error_code, auto) { self->Close(); });
    return;
  }
  sending_ = chunked_ ? Chunk(pending_) : pending_;
  pending_.clear();
  WriteOn();
}

void WatchSession::End() {
  // A reader that does not read cannot be told.
  if (writing_) return Close();
  ending_ = true;
  Flush();
}

void WatchSession::Close() {
  if (!handle_) return;
  core_.RemoveWatch(*std::exchange(handle_, std::nullopt));
  end_timer_.cancel();
  bookmark_timer_.cancel();
  error_code ignored;
  stream_.socket().shutdown(net::ip::tcp::socket::shutdown_both, ignored);
  stream_.socket().close(ignored);
}

void WatchSession::WatchForEnd() {
  stream_.socket().async_read_some(
      net::buffer(ignored_),
      [self = shared_from_this()](error_code failure, auto) {
        if (failure) return self->Close();
        self->WatchForEnd();
      });
}

void WatchSession::ArmTimers() {
  const std::chrono::seconds until(SecondsOf(feed_));
  end_timer_.expires_after(until);
  end_timer_.async_wait([self = shared_from_this()](error_code failure) {
    if (!failure) self->End();
  });
  const Duration last = until - kLastBookmarkBeforeEnd;
  if (last > Duration{0}) {
    ArmBookmark(std::min<Duration>(last, core_.limits().bookmark_interval));
  }
}

void WatchSession::ArmBookmark(Duration in) {
  bookmark_timer_.expires_after(in);
  bookmark_timer_.async_wait([self = shared_from_this()](error_code failure) {
    if (failure || !self->handle_) return;
    self->Enqueue(self->feed_.Bookmark(self->core_.table().resource_version()));
    if (!self->handle_) return;
    const Duration left = self->end_timer_.expiry() -
                          net::steady_timer::clock_type::now() -
                          kLastBookmarkBeforeEnd;
    if (left > Duration{0}) {
      self->ArmBookmark(std::min(left, self->core_.limits().bookmark_interval));
    }
  });
}

bool WatchSession::Frozen() const {
  return core_.Frozen({"watch", feed_.name_space(), feed_.exact_name()});
}

}  // namespace tenure::embedded
