#include "tests/sim/worker.h"

#include <algorithm>
#include <utility>

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;

}  // namespace

void Worker::LookIn(Duration delay) {
  look_at_ = scene_->now() + delay;
  scene_->queue.At(look_at_, [this, at = look_at_] {
    if (at == look_at_) node_->DeliverWork([this] { Look(); });
  });
}

void Worker::Look() {
  const Moment asked = node_->Now();
  const std::optional<CertaintyAnswer> answer = node_->Ask(lease_);
  const bool held = answer && answer->certainty == Certainty::kHeld;
  switch (phase_) {
    case Phase::kIdle:
      if (held && !node_->Draining(lease_)) Begin(answer->generation);
      break;
    case Phase::kWorking:
      if (held && answer->generation == generation_ &&
          !node_->Draining(lease_) && !scene_->chance.Permille(20)) {
        Work(asked, *answer);
      } else {
        BeginStopping();
      }
      break;
    case Phase::kStarting:
    case Phase::kStopping:
      break;
  }
  const bool idle = phase_ == Phase::kIdle && !held;
  // What `check?fresh=true` does: it may end authority, never grant it (S3).
  if (answer && scene_->chance.Permille(idle ? 200 : 30)) {
    node_->Control(
        {ControlRequest::Kind::kFreshRead, static_cast<std::size_t>(lease_), 0},
        [](const ControlReply&) {});
  }
  const Duration most = idle ? kIdleLookEvery : kLookEvery;
  LookIn(scene_->chance.Between(most / 5, most));
}

void Worker::Begin(std::int64_t generation) {
  generation_ = generation;
  holder_ = node_->identity();
  if (!plan_->registers_work) {
    phase_ = Phase::kWorking;
    Write(true, Duration{0});
    return;
  }
  phase_ = Phase::kStarting;
  const int process = node_->process();
  node_->Control(
      {ControlRequest::Kind::kWork, static_cast<std::size_t>(lease_),
       generation},
      [this, process, generation](const ControlReply& reply) {
        if (phase_ != Phase::kStarting || generation != generation_) {
          // Answered after it was given up: nothing runs.
          if (!reply.error) TellDone(generation);
          return;
        }
        phase_ = reply.error ? Phase::kIdle : Phase::kWorking;
        if (reply.error || process != node_->process()) return;
        node_->SetWorkRegistered(lease_, true);
        Write(true, Duration{0});
      });
  // The sidecar may be dead or stuck: then nothing was started.
  scene_->queue.In(std::chrono::seconds(5), [this, generation] {
    if (phase_ == Phase::kStarting && generation_ == generation) {
      phase_ = Phase::kIdle;
    }
  });
}

void Worker::Work(const Moment& asked, const CertaintyAnswer& answer) {
  if (unchecked_ > Duration{0}) {
    // Paused between its check and its write: only the fence protects.
    scene_->Count(Fault::kWorkUnchecked);
    Write(false, std::exchange(unchecked_, Duration{0}));
    return;
  }
  scene_->queue.In(scene_->chance.Between(Duration{0}, milliseconds(5)),
                   [this, asked, left = answer.until_renew_by] {
                     node_->DeliverWork([this, asked, left] {
                       // S1: counted from before asking.
                       const Moment now = node_->Now();
                       if (LongestElapsed(asked.instant, now.instant) < left &&
                           phase_ == Phase::kWorking) {
                         Write(false, Duration{0});
                       }
                     });
                   });
}

void Worker::BeginStopping() {
  phase_ = Phase::kStopping;
  Duration takes = scene_->chance.Between(milliseconds(5), milliseconds(500));
  if (hang_ > Duration{0}) {
    scene_->Count(Fault::kWorkHangs);
    takes = std::exchange(hang_, Duration{0});
  }
  scene_->queue.In(takes,
                   [this] { node_->DeliverWork([this] { Stopped(); }); });
}

void Worker::Stopped() {
  phase_ = Phase::kIdle;
  if (!plan_->registers_work) return;
  node_->SetWorkRegistered(lease_, false);
  TellDone(generation_);
}

void Worker::TellDone(std::int64_t generation) {
  node_->Control({ControlRequest::Kind::kDone, static_cast<std::size_t>(lease_),
                  generation},
                 [](const ControlReply&) {});
}

void Worker::Write(bool raise, Duration late) {
  const Duration trip =
      late + scene_->chance.Between(milliseconds(1), milliseconds(15));
  scene_->queue.In(trip,
                   [this, generation = generation_, raise,
                    term = service_->TermOf(lease_, holder_, generation_)] {
                     ArriveAtStore(generation, term, raise);
                   });
}

void Worker::ArriveAtStore(std::int64_t generation, int term, bool raise) {
  StoreWrite write;
  write.at = scene_->now();
  write.node = node_->index();
  write.lease = lease_;
  write.generation = generation;
  write.term = term;
  write.newest_raised_term = store_->newest_raised_term;
  write.fence_before = store_->fence;
  write.raise = raise;
  write.accepted = generation >= store_->fence;
  if (write.accepted) {
    store_->fence = generation;
    store_->newest_raised_term = std::max(store_->newest_raised_term, term);
  } else if (raise && plan_->floors_reported) {
    ReportFloor();
  }
  if (!raise) {
    write.corrupts = term < store_->newest_written_term;
    store_->newest_written_term = std::max(store_->newest_written_term, term);
  }
  scene_->history.store_writes.push_back(write);
}

void Worker::ReportFloor() { node_->RaiseFloor(lease_, store_->fence); }

}  // namespace tenure::sim
