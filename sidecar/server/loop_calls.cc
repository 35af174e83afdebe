#include "sidecar/server/loop_calls.h"

#include <utility>

namespace tenure {

LoopCalls::LoopCalls(boost::asio::io_context* context,
                     std::shared_ptr<Inbox> inbox, ControlPort* control,
                     Duration limit)
    : context_(context),
      inbox_(std::move(inbox)),
      control_(control),
      limit_(limit) {}

void LoopCalls::Start(const ControlRequest& request, Done done) {
  const std::uint64_t id = ++last_id_;
  auto waiting = std::make_unique<Waiting>(context_, std::move(done));
  waiting->timer.expires_after(limit_);
  waiting->timer.async_wait([calls = weak_from_this(), id, kind = request.kind](
                                const boost::system::error_code& error) {
    const auto self = calls.lock();
    if (self != nullptr && !error) self->OnSilence(id, kind);
  });
  waiting_.emplace(id, std::move(waiting));
  control_->Submit(request, [calls = weak_from_this(), inbox = inbox_, id,
                             request](ControlReply reply) {
    inbox->Post([calls, id, request, reply = std::move(reply)] {
      const auto self = calls.lock();
      if (self != nullptr) self->OnReply(id, request, reply);
    });
  });
}

void LoopCalls::Tell(const ControlRequest& request) {
  control_->Submit(request, [](const ControlReply&) {});
}

void LoopCalls::GiveBack(const ControlRequest& request) {
  ControlRequest done = request;
  done.kind = ControlRequest::Kind::kDone;
  Tell(done);
}

void LoopCalls::Clear() { waiting_.clear(); }

void LoopCalls::OnReply(std::uint64_t id, const ControlRequest& request,
                        const ControlReply& reply) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) {
    // The caller was told "not responding": it will not begin.
    if (request.kind == ControlRequest::Kind::kWork && !reply.error) {
      GiveBack(request);
    }
    return;
  }
  const Done done = std::move(found->second->done);
  waiting_.erase(found);
  done(reply);
}

void LoopCalls::OnSilence(std::uint64_t id, ControlRequest::Kind kind) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  const Done done = std::move(found->second->done);
  waiting_.erase(found);
  ControlReply reply;
  reply.error = Error{
      ErrorCode::kDeadlineExceeded,
      kind == ControlRequest::Kind::kFreshRead
          ? "no answer of the API server came in time; nothing was changed, "
            "ask again"
          : "the coordinator is not responding; whether the request takes "
            "effect later is unknown"};
  done(reply);
}

}  // namespace tenure
