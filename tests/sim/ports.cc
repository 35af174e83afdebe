#include "tests/sim/ports.h"

#include <utility>

#include "sidecar/base/check.h"
#include "tests/sim/node.h"

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;

Answer NoAnswer() {
  return std::unexpected(
      StoreError{ErrorCode::kOutcomeUnknown, "no answer", Duration{0}});
}

}  // namespace

void SimStore::Record(const Request& request) {
  Sent sent;
  sent.at = scene_->now();
  sent.node = origin_.node;
  sent.lease = origin_.lease;
  sent.process = origin_.process;
  sent.id = request.id;
  sent.kind = request.kind;
  sent.moment = node_->Now();
  sent.generation = request.write.generation.value_or(0);
  sent.mark = request.write.write;
  sent.identified =
      !request.write.uid.empty() && !request.write.resource_version.empty();
  sent.told_held =
      node_->AnswerNow(origin_.lease).certainty == Certainty::kHeld;
  sent.other_in_flight = in_flight_.has_value();
  sent.work_running = node_->WorkRegistered(origin_.lease);
  scene_->history.sent.push_back(std::move(sent));
}

void SimStore::Start(const Request& request, Done done) {
  Record(request);
  in_flight_ = InFlight{request.id, node_->Now().instant, std::move(done)};
  const std::uint64_t id = request.id;
  // The transport's own deadline.
  scene_->queue.In(node_->clock().TrueDelay(request.limit),
                   [this, node = node_, process = origin_.process, id] {
                     node->Deliver(process,
                                   [this, id] { Finish(id, NoAnswer()); });
                   });
  service_->Send(origin_, request,
                 [this, node = node_](const ApiService::Sent& sent) {
                   node->Deliver(sent->origin.process, [this, sent] {
                     Finish(sent->request.id, std::move(sent->answer));
                   });
                 });
  node_->RequestSent();
}

void SimStore::Finish(std::uint64_t id, Answer&& answer) {
  if (!in_flight_ || in_flight_->id != id) return;
  const Instant now = node_->Now().instant;
  const Instant then = in_flight_->started;
  if (answer &&
      (now.boot - then.boot) - (now.raw - then.raw) > milliseconds(500)) {
    scene_->Count(Fault::kAckAcrossSuspension);
  }
  const Done done = std::move(in_flight_->done);
  in_flight_.reset();
  done(RequestDone{id, std::move(answer)});
}

void SimStore::ReadFresh(Duration limit, FreshDone done) {
  scene_->history.fresh_reads.push_back(
      Beside{scene_->now(), origin_.node, origin_.lease, origin_.process});
  fresh_ = std::move(done);
  Request request;
  request.id = ++last_fresh_;
  scene_->queue.In(
      node_->clock().TrueDelay(limit),
      [this, node = node_, process = origin_.process, id = request.id] {
        node->Deliver(process, [this, id] { FinishFresh(id, NoAnswer()); });
      });
  service_->Send(origin_, request,
                 [this, node = node_](const ApiService::Sent& sent) {
                   node->Deliver(sent->origin.process, [this, sent] {
                     FinishFresh(sent->request.id, std::move(sent->answer));
                   });
                 });
}

void SimStore::FinishFresh(std::uint64_t id, Answer&& answer) {
  if (id != last_fresh_ || !fresh_) return;
  std::exchange(fresh_, nullptr)(FreshRead{std::move(answer)});
}

void SimWatch::Start(std::string resource_version, Sink sink) {
  Stop();
  scene_->history.watch_starts.push_back(
      Beside{scene_->now(), origin_.node, origin_.lease, origin_.process});
  from_ = std::move(resource_version);
  sink_ = std::move(sink);
  if (!allowed_) {
    const std::uint64_t epoch = epoch_;
    scene_->queue.In(milliseconds(2),
                     [this, node = node_, process = origin_.process, epoch] {
                       node->Deliver(process, [this, epoch] {
                         WatchEvent denied;
                         denied.kind = WatchEvent::Kind::kDenied;
                         if (epoch == epoch_) sink_(denied);
                       });
                     });
    return;
  }
  OpenIn(scene_->chance.Between(milliseconds(1), milliseconds(4)), epoch_);
}

void SimWatch::Stop() {
  ++epoch_;
  if (open_ != 0) service_->CloseWatch(open_);
  open_ = 0;
}

void SimWatch::OpenIn(Duration delay, std::uint64_t epoch) {
  scene_->queue.In(delay,
                   [this, node = node_, process = origin_.process, epoch] {
                     node->Deliver(process, [this, epoch] { Open(epoch); });
                   });
}

void SimWatch::Open(std::uint64_t epoch) {
  if (epoch != epoch_) return;
  if (!service_->Reachable(origin_.node)) {
    OpenIn(scene_->chance.LongTail(milliseconds(400), milliseconds(8000)),
           epoch);
    return;
  }
  open_ = service_->OpenWatch(
      origin_.node, origin_.lease, from_,
      [this, node = node_, process = origin_.process,
       epoch](const ApiService::Event& event) {
        node->Deliver(process, [this, epoch, event] { Take(epoch, event); });
      });
}

void SimWatch::Take(std::uint64_t epoch, const ApiService::Event& event) {
  if (epoch != epoch_) return;
  using Kind = WatchEvent::Kind;
  if (event->kind == Kind::kChanged || event->kind == Kind::kDeleted) {
    from_ = event->record.resource_version;
  }
  if (event->kind == Kind::kClosed) {
    open_ = 0;
    OpenIn(scene_->chance.LongTail(milliseconds(200), milliseconds(8000)),
           epoch);
  }
  if (event->kind == Kind::kExpired) {
    service_->CloseWatch(open_);
    open_ = 0;
  }
  sink_(*event);
}

}  // namespace tenure::sim
