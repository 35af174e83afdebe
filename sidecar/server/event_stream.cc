#include "sidecar/server/event_stream.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/socket_base.hpp>
#include <utility>
#include <vector>

#include "sidecar/server/http_message.h"
#include "sidecar/server/limits.h"
#include "sidecar/server/ticks.h"

namespace tenure {

using SysError = boost::system::error_code;

EventStreams::EventStreams(std::function<void(bool)> on_change)
    : on_change_(std::move(on_change)) {}

bool EventStreams::Full() const { return streams_.size() >= kMaxEventStreams; }

void EventStreams::Add(EventStream* stream) {
  streams_.insert(stream);
  if (on_change_ && streams_.size() == 1) on_change_(true);
}

void EventStreams::Remove(EventStream* stream) {
  if (streams_.erase(stream) == 0) return;
  if (on_change_ && streams_.empty()) on_change_(false);
}

void EventStreams::OnPublish(std::size_t lease) {
  // Copied first: a stream that fails to send leaves the set.
  const std::vector<EventStream*> streams(streams_.begin(), streams_.end());
  for (EventStream* stream : streams) {
    if (streams_.contains(stream) && stream->lease() == lease) stream->Wake();
  }
}

EventStream::EventStream(Desk* desk, EventStreams* streams,
                         SessionSet* sessions, Socket socket, std::size_t lease)
    : desk_(desk),
      streams_(streams),
      sessions_(sessions),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      lease_(lease),
      unsent_(EventStreamHead()) {}

EventStream::~EventStream() { streams_->Remove(this); }

std::shared_ptr<EventStream> EventStream::Self() {
  return std::static_pointer_cast<EventStream>(shared_from_this());
}

void EventStream::Start() {
  SysError ignored;
  socket_.set_option(
      boost::asio::socket_base::send_buffer_size(kEventSendBufferBytes),
      ignored);
  // Joined before the board is read for the first event, so that nothing
  // published after that read is missed.
  streams_->Add(this);
  WatchForEnd();
  Pump();
}

void EventStream::Close() {
  if (closed_) return;
  closed_ = true;
  const std::shared_ptr<EventStream> self = Self();
  SysError ignored;
  socket_.close(ignored);
  timer_.cancel();
  streams_->Remove(this);
  sessions_->Remove(this);
}

bool EventStream::Overdue(std::uint64_t tick) const {
  return waiting_ && tick >= write_deadline_;
}

void EventStream::OnOverdue() { Close(); }

void EventStream::Wake() {
  const std::shared_ptr<EventStream> self = Self();  // sending may end it
  if (!waiting_) Pump();
}

// Sends what is due until the socket takes no more. What time changed while
// the last event was sent is found by the look after it.
void EventStream::Pump() {
  while (!closed_) {
    if (!unsent_.empty()) {
      if (!SendRest()) return;
      continue;
    }
    if (told_ != desk_->News(lease_)) {
      comment_due_ = false;
      told_ = desk_->ComposeEvent(lease_, &unsent_);
    } else if (comment_due_) {
      comment_due_ = false;
      unsent_ = ":\n\n";
    } else {
      ArmTimer();
      return;
    }
  }
}

// False if the rest must wait, or the reader is gone.
bool EventStream::SendRest() {
  SysError error;
  const std::size_t sent =
      socket_.write_some(boost::asio::buffer(unsent_), error);
  if (!error) {
    unsent_.erase(0, sent);
    return true;
  }
  if (error != boost::asio::error::would_block) {
    Close();
    return false;
  }
  waiting_ = true;
  write_deadline_ = sessions_->tick() + Ticks(desk_->options().waits.write,
                                              desk_->options().waits.sweep);
  socket_.async_wait(Socket::wait_write,
                     [self = Self()](const SysError& wait_error) {
                       if (wait_error || self->closed_) return;
                       self->waiting_ = false;
                       self->Pump();
                     });
  return false;
}

void EventStream::ArmTimer() {
  // A little late rather than early: early would find nothing changed.
  constexpr Duration kSlack = std::chrono::milliseconds(1);
  const Duration change = desk_->UntilLastChanges();
  const Duration comment = desk_->options().waits.comment;
  timer_.expires_after(change < comment ? change + kSlack : comment);
  timer_.async_wait([self = Self()](const SysError& error) {
    if (!error && !self->closed_) self->OnTimer();
  });
}

void EventStream::OnTimer() {
  comment_due_ = true;
  if (!waiting_) Pump();
}

void EventStream::WatchForEnd() {
  socket_.async_wait(Socket::wait_read, [self = Self()](const SysError& error) {
    if (!error && !self->closed_) self->OnReadable();
  });
}

// A reader has nothing to say; it may only end.
void EventStream::OnReadable() {
  std::array<char, 512> ignored;
  SysError error;
  socket_.read_some(boost::asio::buffer(ignored), error);
  if (error && error != boost::asio::error::would_block) {
    Close();
    return;
  }
  WatchForEnd();
}

}  // namespace tenure
