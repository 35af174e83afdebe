#include "sidecar/server/connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <string_view>
#include <utility>

#include "sidecar/server/accept_header.h"
#include "sidecar/server/limits.h"
#include "sidecar/server/ticks.h"

namespace tenure {
namespace {

using SysError = boost::system::error_code;

// Reads before other connections get their turn.
constexpr int kReadsBeforeYield = 16;

// Times that one reply is computed again because what it says changed under
// it: as often as time alone can change a term, and then some.
constexpr int kMostComposed = 8;

ControlRequest::Kind KindOf(Route route) {
  if (route == Route::kWork) return ControlRequest::Kind::kWork;
  if (route == Route::kDone) return ControlRequest::Kind::kDone;
  if (route == Route::kRelease) return ControlRequest::Kind::kRelease;
  if (route == Route::kRun) return ControlRequest::Kind::kRun;
  if (route == Route::kFloor) return ControlRequest::Kind::kFloor;
  if (route == Route::kStatus) return ControlRequest::Kind::kKeep;
  return ControlRequest::Kind::kFreshRead;
}

ControlRequest LoopRequest(const Plan& plan) {
  return ControlRequest{KindOf(plan.route), plan.lease.value_or(0),
                        plan.generation, plan.run};
}

}  // namespace

Connection::Connection(Desk* desk, LoopCalls* calls, EventStreams* streams,
                       SessionSet* sessions, Surface surface, Socket socket,
                       Peer peer)
    : desk_(desk),
      calls_(calls),
      streams_(streams),
      sessions_(sessions),
      surface_(surface),
      peer_(peer),
      socket_(std::move(socket)),
      buffer_(kSmallBufferBytes) {}

std::shared_ptr<Connection> Connection::Self() {
  return std::static_pointer_cast<Connection>(shared_from_this());
}

void Connection::SetDeadline(Duration wait) {
  deadline_ = sessions_->tick() + Ticks(wait, desk_->options().waits.sweep);
}

void Connection::Start() {
  SetDeadline(desk_->options().waits.read);
  Read();
}

void Connection::Close() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  const std::shared_ptr<Connection> self = Self();
  if (work_unconfirmed_) calls_->GiveBack(LoopRequest(*plan_));
  work_unconfirmed_ = false;
  SysError ignored;
  socket_.close(ignored);
  sessions_->Remove(this);
}

bool Connection::Overdue(std::uint64_t tick) const {
  // LoopCalls ends the wait for the loop.
  return phase_ != Phase::kAsking && tick >= deadline_;
}

void Connection::OnOverdue() {
  if (phase_ == Phase::kReading && in_request_) {
    SysError ignored;
    socket_.cancel(ignored);
    Refuse(408, "expected a whole request within 10 s, found a part of one");
  } else {
    Close();
  }
}

void Connection::Read() {
  for (int round = 0; round < kReadsBeforeYield; ++round) {
    if (!MakeRoom()) {
      Refuse(400, "expected chunks with short headers, found a long one");
      return;
    }
    SysError error;
    end_ += socket_.read_some(
        boost::asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
        error);
    if (error == boost::asio::error::would_block) {
      WaitReadable();
      return;
    }
    if (error) {
      Close();
      return;
    }
    if (!ServeBuffered()) return;
  }
  boost::asio::post(socket_.get_executor(), [self = Self()] {
    if (self->phase_ == Phase::kReading) self->Read();
  });
}

void Connection::WaitReadable() {
  socket_.async_wait(Socket::wait_read, [self = Self()](const SysError& error) {
    if (error) return;
    if (self->phase_ == Phase::kReading) self->Read();
    if (self->phase_ == Phase::kLingering) self->ReadLinger();
  });
}

// False if the buffer is as large as it may be, and full of what the parser
// cannot consume.
bool Connection::MakeRoom() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (buffer_.size() > kSmallBufferBytes && !in_request_) {
      std::vector<char>(kSmallBufferBytes).swap(buffer_);
    }
  }
  if (end_ < buffer_.size()) return true;
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
              buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    return true;
  }
  if (buffer_.size() >= kMaxHeaderBytes) return false;
  buffer_.resize(std::min(buffer_.size() * 2, kMaxHeaderBytes));
  return true;
}

// Answers the requests that are in the buffer whole. False if something else
// must happen before more is read.
bool Connection::ServeBuffered() {
  while (begin_ < end_) {
    if (!in_request_) {
      in_request_ = true;
      parser_.Begin(&request_);
      SetDeadline(desk_->options().waits.read);
    }
    const RequestParser::Progress progress =
        parser_.Put(std::string_view(buffer_.data() + begin_, end_ - begin_));
    begin_ += progress.consumed;
    switch (progress.state) {
      case RequestParser::State::kMore:
        if (progress.header_done) SendContinue();
        return phase_ == Phase::kReading;
      case RequestParser::State::kBad:
        Refuse(progress.status, progress.message);
        return false;
      case RequestParser::State::kDone:
        if (!Handle()) return false;
        break;
    }
  }
  return true;
}

void Connection::SendContinue() {
  if (!request_.expects_continue || !request_.http11 || continued_) return;
  continued_ = true;
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  SysError error;
  const std::size_t sent = socket_.write_some(
      boost::asio::buffer(kContinue.data(), kContinue.size()), error);
  // Its reader does not read: no reply would arrive either.
  if (error || sent != kContinue.size()) Close();
}

// True if the reply has left whole and the connection goes on.
bool Connection::Handle() {
  plan_ = Resolve(request_, surface_, desk_->leases(), desk_->Slot());
  if (plan_ && NeedsLoop(*plan_)) {
    AskLoop();
    return false;
  }
  if (plan_ && plan_->route == Route::kWatch &&
      request_.method == Method::kGet) {
    return StartStream();
  }
  return Respond();
}

void Connection::Refuse(int status, const char* message) {
  HttpReply reply;
  SetError(status, PrefersJson(request_.accept), message, &reply);
  reply.close = true;
  plan_ = std::unexpected(std::move(reply));
  linger_after_ = true;
  Respond();
}

void Connection::AskLoop() {
  phase_ = Phase::kAsking;
  calls_->Start(LoopRequest(*plan_), [self = Self()](const ControlReply& said) {
    if (self->phase_ != Phase::kAsking) return;
    self->said_ = said;
    self->work_unconfirmed_ =
        self->plan_->route == Route::kWork && !said.error.has_value();
    self->SetDeadline(self->desk_->options().waits.write);
    self->phase_ = Phase::kReading;
    if (self->Respond()) self->Resume();
  });
}

bool Connection::StartStream() {
  if (streams_->Full()) {
    HttpReply reply;
    SetError(503, plan_->json,
             "expected at most " + std::to_string(kMaxEventStreams) +
                 " watchers, found as many; use /v1/status or try again later",
             &reply);
    plan_ = std::unexpected(std::move(reply));
    return Respond();
  }
  auto stream = std::make_shared<EventStream>(
      desk_, streams_, sessions_, std::move(socket_), *plan_->lease);
  phase_ = Phase::kClosed;
  const std::shared_ptr<Connection> self = Self();
  sessions_->Replace(this, stream);
  stream->Start();
  return false;
}

void Connection::ComposeReply() {
  HttpReply& reply = desk_->reply;
  if (plan_) {
    desk_->Compose(*plan_, said_ ? &*said_ : nullptr, &reply);
  } else {
    reply = plan_.error();
  }
  close_after_ = reply.close || !request_.keep_alive;
  Serialize(reply, request_.method != Method::kHead, !close_after_,
            request_.http11, &desk_->bytes);
  // After its answer, for the deadline that it has from that is the older one;
  // and not between the last look at the clock and the socket.
  if (plan_ && plan_->route == Route::kStatus && !plan_->run.id.empty()) {
    calls_->Tell(LoopRequest(*plan_));
  }
}

// Computes the reply and sends it. True if it has left whole and the connection
// goes on.
bool Connection::Respond() {
  const HttpReply& reply = desk_->reply;
  const std::string& bytes = desk_->bytes;
  ComposeReply();
  // S1: a process that was stopped in the middle would send what was true
  // before. So the clock is looked at once more, last of all; what remains is
  // the instant between that look and the system call.
  for (int again = 0; plan_ && again < kMostComposed; ++again) {
    const std::uint64_t mark = desk_->LastMark();
    if (desk_->FreshMark(plan_->lease) == mark) break;
    ComposeReply();
  }
  SysError error;
  const std::size_t sent =
      socket_.write_some(boost::asio::buffer(bytes), error);
  if (error == boost::asio::error::would_block) {
    if (phase_ != Phase::kBlocked) SetDeadline(desk_->options().waits.write);
    phase_ = Phase::kBlocked;
    WaitWritable();
    return false;
  }
  if (error) {
    Close();
    return false;
  }
  NoteReplied(reply.status);
  if (sent == bytes.size()) return EndRequest();
  unsent_.assign(bytes, sent, bytes.size() - sent);
  unsent_mark_ = plan_ ? desk_->LastMark() : 0;
  phase_ = Phase::kFinishing;
  SetDeadline(desk_->options().waits.write);
  WaitWritable();
  return false;
}

void Connection::NoteReplied(int status) {
  if (surface_ != Surface::kControl || !plan_ || !said_) return;
  // Told no, its caller will not begin: it must not hold the lease for nobody.
  if (work_unconfirmed_ && status != 200) {
    calls_->GiveBack(LoopRequest(*plan_));
  }
  work_unconfirmed_ = false;
  if (!desk_->options().on_control) return;
  desk_->options().on_control(ControlCall{
      RouteName(plan_->route), desk_->leases()[plan_->lease.value_or(0)],
      plan_->generation, status, peer_.pid, peer_.uid, peer_.gid});
}

void Connection::WaitWritable() {
  socket_.async_wait(Socket::wait_write,
                     [self = Self()](const SysError& error) {
                       if (!error) self->OnWritable();
                     });
}

void Connection::OnWritable() {
  if (phase_ == Phase::kFinishing) {
    FinishReply();
  } else if (phase_ == Phase::kBlocked) {
    // S1: computed again, for the one before may have been overtaken.
    if (Respond()) Resume();
  }
}

void Connection::FinishReply() {
  // S1: the rest of an answer that is no longer true is not sent; its reader
  // sees a broken reply and asks again.
  if (plan_ && desk_->FreshMark(plan_->lease) != unsent_mark_) {
    Close();
    return;
  }
  SysError error;
  const std::size_t sent =
      socket_.write_some(boost::asio::buffer(unsent_), error);
  if (error && error != boost::asio::error::would_block) {
    Close();
    return;
  }
  unsent_.erase(0, sent);
  if (!unsent_.empty()) {
    WaitWritable();
    return;
  }
  std::string().swap(unsent_);
  if (EndRequest()) Resume();
}

// The reply has left. True if another request may follow.
bool Connection::EndRequest() {
  said_.reset();
  in_request_ = false;
  continued_ = false;
  if (close_after_) {
    Linger();
    return false;
  }
  phase_ = Phase::kReading;
  SetDeadline(desk_->options().waits.idle);
  return true;
}

void Connection::Resume() {
  if (ServeBuffered()) Read();
}

// Closes. After a refusal, only once the client has closed or sent enough:
// closing with unread bytes would reset the connection and lose the reply.
void Connection::Linger() {
  if (!linger_after_) {
    Close();
    return;
  }
  SysError ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  phase_ = Phase::kLingering;
  SetDeadline(desk_->options().waits.linger);
  ReadLinger();
}

void Connection::ReadLinger() {
  std::array<char, 4096> ignored;
  SysError error;
  while (!error && lingered_ < kMaxLingerBytes) {
    lingered_ += socket_.read_some(boost::asio::buffer(ignored), error);
  }
  if (error == boost::asio::error::would_block) {
    WaitReadable();
  } else {
    Close();
  }
}

}  // namespace tenure
