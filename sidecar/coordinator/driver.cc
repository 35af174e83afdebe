#include "sidecar/coordinator/driver.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

// A watch that floods us loses events: they are hints.
constexpr std::size_t kMaxQueued = 256;
constexpr std::size_t kMaxFreshWaiting = 256;
constexpr Duration kFreshSpacing = std::chrono::seconds(1);
// Who asks waits at most 5 s for the loop, and is to hear what became of it.
constexpr Duration kFreshLimit = std::chrono::seconds(4);
// Between two starts of a watch whose history was gone.
constexpr Duration kExpiredSpacing = std::chrono::seconds(1);
// Steps caused by steps: more than this and the rest waits for the next Pump.
constexpr int kMaxRounds = 16;

bool TellsState(const WatchEvent& event) {
  return event.kind == WatchEvent::Kind::kChanged ||
         event.kind == WatchEvent::Kind::kDeleted ||
         event.kind == WatchEvent::Kind::kBookmark;
}

}  // namespace

struct Driver::Lane {
  explicit Lane(DriverLease settings)
      : lease(std::move(settings)), authority(lease.options) {}

  const DriverLease lease;
  LeaseAuthority authority;
  std::deque<Input> queue;
  std::shared_ptr<const AuthoritySnapshot> snapshot;

  // The request in flight.
  std::optional<RequestKind> in_flight;
  Instant request_started;

  bool watch_running = false;
  // History was gone: the watch starts again from the state as it is then. Not
  // from the record's own resource version, which may be older than all that
  // the server keeps: that would be gone again, for ever.
  bool watch_expired = false;
  Instant watch_started;

  bool contend = true;

  std::vector<ControlPort::Done> fresh_waiting;
  std::vector<ControlPort::Done> fresh_serving;
  std::optional<Instant> fresh_started;

  // Full: the oldest event that only tells a state makes room, never one that
  // tells whether the watch lives.
  void Enqueue(WatchEvent event) {
    if (queue.size() >= kMaxQueued) {
      const auto oldest =
          std::find_if(queue.begin(), queue.end(), [](const Input& input) {
            const auto* waiting = std::get_if<WatchEvent>(&input);
            return waiting != nullptr && TellsState(*waiting);
          });
      if (oldest != queue.end()) {
        queue.erase(oldest);
      } else if (TellsState(event)) {
        return;
      }
    }
    queue.emplace_back(std::move(event));
  }

  // A wait only after the history was gone.
  Duration WatchDueIn(const Instant& now) const {
    if (!watch_expired) return Duration{0};
    return std::max(kExpiredSpacing - LongestElapsed(watch_started, now),
                    Duration{0});
  }

  Duration FreshDueIn(const Instant& now) const {
    if (fresh_waiting.empty() || !fresh_serving.empty()) {
      return Duration::max();
    }
    if (!fresh_started) return Duration{0};
    return std::max(kFreshSpacing - LongestElapsed(*fresh_started, now),
                    Duration{0});
  }
};

Driver::Driver(std::vector<DriverLease> leases, LeaseSetPolicy policy,
               std::size_t slot_start, SnapshotBoard* board, Recorder* recorder,
               Environment environment)
    : policy_(policy),
      slot_start_(slot_start),
      board_(board),
      recorder_(recorder),
      environment_(std::move(environment)) {
  CHECK(!leases.empty() && leases.size() == board->leases().size());
  for (std::size_t i = 0; i < leases.size(); ++i) {
    CHECK(leases[i].name == board->leases()[i]);
    CHECK(leases[i].store != nullptr);
    lanes_.push_back(std::make_unique<Lane>(std::move(leases[i])));
    lanes_[i]->snapshot = board->Read(i);
  }
}

Driver::~Driver() {
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (lane->watch_running) lane->lease.watch->Stop();
  }
}

Duration Driver::Pump() {
  for (int round = 0; round < kMaxRounds; ++round) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      TakeInputs(i);
      if (lanes_[i]->authority.NextDeadline(environment_.now()) <=
          Duration{0}) {
        Step(i, Tick{});
      }
    }
    if (lanes_.size() > 1) Arrange();
    const bool more =
        std::any_of(lanes_.begin(), lanes_.end(),
                    [](const auto& lane) { return !lane->queue.empty(); });
    if (!more) break;
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    SteerWatch(i);
    SteerFreshRead(i);
  }
  return DueIn();
}

Duration Driver::DueIn() const {
  const Moment now = environment_.now();
  Duration due = Duration::max();
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    due = std::min({due, lane->authority.NextDeadline(now),
                    lane->FreshDueIn(now.instant)});
    if (lane->watch_expired && lane->authority.WantsWatch()) {
      due = std::min(due, lane->WatchDueIn(now.instant));
    }
    if (!lane->queue.empty()) due = Duration{0};
  }
  return due;
}

void Driver::TakeInputs(std::size_t index) {
  Lane& lane = *lanes_[index];
  while (!lane.queue.empty()) {
    const Input input = std::move(lane.queue.front());
    lane.queue.pop_front();
    if (const auto* event = std::get_if<WatchEvent>(&input)) {
      if (event->kind == WatchEvent::Kind::kExpired) {
        lane.watch_running = false;
        lane.watch_expired = true;
      }
    }
    Step(index, input);
  }
}

void Driver::Step(std::size_t index, const Input& input,
                  const ControlPort::Done& done) {
  Lane& lane = *lanes_[index];
  const Moment now = environment_.now();
  if (const auto* answer = std::get_if<RequestDone>(&input)) {
    CHECK(lane.in_flight);
    recorder_->OnRequest(
        lane.lease.name, *lane.in_flight,
        answer->result ? std::nullopt
                       : std::optional<StoreError>(answer->result.error()),
        LongestElapsed(lane.request_started, now.instant));
    lane.in_flight.reset();
  }
  const Output output = lane.authority.Step(now, environment_.entropy(), input);
  // Published first: a release ends the term for readers, too, before it is
  // sent (S10). Logs and replies come after: nothing they do may delay it.
  lane.snapshot =
      std::make_shared<const AuthoritySnapshot>(lane.authority.Snapshot());
  board_->Publish(index, lane.snapshot);
  if (output.request) {
    lane.request_started = now.instant;
    StartRequest(index, *output.request);
  }
  for (const Transition& transition : output.transitions) {
    recorder_->OnTransition(lane.lease.name, transition, *lane.snapshot, now);
  }
  if (done) {
    CHECK(output.reply);
    done(*output.reply);
  }
}

void Driver::StartRequest(std::size_t index, const Request& request) {
  Lane& lane = *lanes_[index];
  CHECK(!lane.in_flight);  // S13
  lane.in_flight = request.kind;
  lane.lease.store->Start(request, [this, index](RequestDone answer) {
    lanes_[index]->queue.push_back(std::move(answer));
    environment_.wake();
  });
}

void Driver::Arrange() {
  const Moment now = environment_.now();
  std::vector<LeaseSetMember> members;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    LeaseSetMember member;
    member.held = lane->snapshot->term.has_value();
    member.engaged = lane->authority.Engaged();
    member.takeable = lane->authority.Takeable(now);
    members.push_back(member);
  }
  const LeaseSetDecision decision = Decide(policy_, members, slot_start_);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = *lanes_[i];
    const std::int64_t generation =
        lane.snapshot->term ? lane.snapshot->term->generation : 0;
    // S10: the core refuses it under work, and asked again while a renewal is
    // under way it does nothing more. Looked at again after each step.
    if (decision.give_up[i] && lane.snapshot->work_running == 0) {
      Step(i, GiveUp{generation});
    }
    if (decision.contend[i] != lane.contend) {
      lane.contend = decision.contend[i];
      Step(i, SetContention{lane.contend});
    }
  }
}

void Driver::SteerWatch(std::size_t index) {
  Lane& lane = *lanes_[index];
  if (lane.lease.watch == nullptr) return;
  const Instant now = environment_.now().instant;
  if (lane.WatchDueIn(now) > Duration{0}) return;
  const bool wanted = lane.authority.WantsWatch();
  if (wanted == lane.watch_running) return;
  lane.watch_running = wanted;
  if (!wanted) {
    lane.lease.watch->Stop();
    return;
  }
  lane.watch_started = now;
  const bool from_now = std::exchange(lane.watch_expired, false);
  lane.lease.watch->Start(from_now ? "" : lane.authority.WatchFrom(),
                          [this, index](WatchEvent event) {
                            lanes_[index]->Enqueue(std::move(event));
                            environment_.wake();
                          });
}

void Driver::SteerFreshRead(std::size_t index) {
  Lane& lane = *lanes_[index];
  const Instant now = environment_.now().instant;
  if (lane.FreshDueIn(now) > Duration{0}) return;
  // Who asks while one is under way waits for the next: the one under way may
  // have been answered before the question.
  lane.fresh_serving.swap(lane.fresh_waiting);
  lane.fresh_started = now;
  lane.lease.store->ReadFresh(std::min(lane.snapshot->try_limit, kFreshLimit),
                              [this, index](FreshRead read) {
                                EndFreshRead(index, std::move(read));
                                environment_.wake();
                              });
}

void Driver::EndFreshRead(std::size_t index, FreshRead read) {
  Lane& lane = *lanes_[index];
  const std::vector<ControlPort::Done> serving =
      std::exchange(lane.fresh_serving, {});
  read.asked = *lane.fresh_started;
  Step(index, read, [&serving](const ControlReply& reply) {
    for (const ControlPort::Done& done : serving) done(reply);
  });
}

void Driver::Control(const ControlRequest& request, ControlPort::Done done) {
  CHECK(request.lease < lanes_.size());
  switch (request.kind) {
    case ControlRequest::Kind::kWork:
      Step(request.lease, StartWork{request.generation, request.run}, done);
      break;
    case ControlRequest::Kind::kDone:
      Step(request.lease, FinishWork{request.generation, request.run}, done);
      break;
    case ControlRequest::Kind::kKeep:
      Step(request.lease, KeepRun{request.run}, done);
      break;
    case ControlRequest::Kind::kRelease:
      Step(request.lease, GiveUp{request.generation}, done);
      break;
    case ControlRequest::Kind::kRun:
      Step(request.lease, RecordRun{request.generation, request.run.id}, done);
      break;
    case ControlRequest::Kind::kFloor:
      Step(request.lease, RaiseFloor{request.generation}, done);
      break;
    case ControlRequest::Kind::kFreshRead: {
      std::vector<ControlPort::Done>& waiting =
          lanes_[request.lease]->fresh_waiting;
      if (waiting.size() < kMaxFreshWaiting) {
        waiting.push_back(std::move(done));
      } else {
        done({Error{ErrorCode::kUnavailable,
                    "expected at most 256 waiting fresh checks, found that "
                    "many; ask less often"},
              0});
      }
      break;
    }
  }
  environment_.wake();
}

void Driver::StartDraining() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) Step(i, Drain{});
  environment_.wake();
}

bool Driver::Finished() const {
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane->snapshot->finished; });
}

}  // namespace tenure
