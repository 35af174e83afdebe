#include "tests/sim/node.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sidecar/base/check.h"

namespace tenure::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class HistoryRecorder : public Recorder {
 public:
  HistoryRecorder(Scene* scene, int node, const SnapshotBoard* board)
      : scene_(scene), node_(node), board_(board) {}

  void OnTransition(const std::string& lease, const Transition& transition,
                    const AuthoritySnapshot&, const Moment&) override {
    int index = 0;
    while (board_->leases()[static_cast<std::size_t>(index)] != lease) ++index;
    scene_->history.transitions.push_back(
        Transitioned{scene_->now(), node_, index, transition.kind,
                     transition.generation, transition.reason});
  }
  void OnRequest(const std::string&, RequestKind,
                 const std::optional<StoreError>&, Duration) override {}

 private:
  Scene* const scene_;
  const int node_;
  const SnapshotBoard* const board_;
};

std::vector<std::string> LeaseNames(int leases) {
  std::vector<std::string> names;
  for (int i = 0; i < leases; ++i)
    names.push_back("lease-" + std::to_string(i));
  return names;
}

}  // namespace

struct SimNode::Process {
  Process(Scene* scene, int node, int leases, Prng bits)
      : board(LeaseNames(leases)),
        recorder(scene, node, &board),
        entropy(bits) {}

  SnapshotBoard board;
  HistoryRecorder recorder;
  Prng entropy;
  std::vector<std::unique_ptr<SimStore>> stores;
  std::vector<std::unique_ptr<SimWatch>> watches;
  std::unique_ptr<Driver> driver;
};

SimNode::SimNode(Scene* scene, ApiService* service, const WorldPlan* plan,
                 int index)
    : scene_(scene),
      service_(service),
      plan_(plan),
      index_(index),
      work_registered_(static_cast<std::size_t>(plan->leases), 0) {}

SimNode::~SimNode() = default;

void SimNode::StartProcess() {
  const std::string index = std::to_string(index_);
  if (process_number_ > 0) scene_->Count(Fault::kRestart);
  Begin("pod-" + index + "_uid-" + index + "_" +
            std::to_string(process_number_ + 1),
        Prng(scene_->chance.Next()));
}

void SimNode::BecomeCloneOf(const SimNode& original) {
  CHECK(original.process_);
  Die();
  Begin(original.identity_, plan_->clones_share_entropy
                                ? original.process_->entropy
                                : Prng(scene_->chance.Next()));
}

void SimNode::Begin(std::string identity, Prng entropy) {
  CHECK(!process_);
  const int number = ++process_number_;
  identity_ = std::move(identity);
  identity_number_ = IdentityNumber();
  process_ = std::make_unique<Process>(scene_, index_, plan_->leases, entropy);
  Process& process = *process_;
  process.board.SetListener([this](std::size_t lease) {
    Note(static_cast<int>(lease), *process_->board.Read(lease));
  });
  std::vector<DriverLease> leases;
  for (int i = 0; i < plan_->leases; ++i) {
    const Origin origin{index_, number, i};
    process.stores.push_back(
        std::make_unique<SimStore>(scene_, service_, this, origin));
    process.watches.push_back(std::make_unique<SimWatch>(scene_, service_, this,
                                                         origin, plan_->watch));
    DriverLease lease;
    lease.name = process.board.leases()[static_cast<std::size_t>(i)];
    lease.options.identity = identity_;
    lease.options.times = plan_->times;
    lease.options.absent_lease = plan_->absent;
    lease.options.jitter_seed = scene_->chance.Next();
    lease.store = process.stores.back().get();
    lease.watch = process.watches.back().get();
    leases.push_back(std::move(lease));
  }
  Driver::Environment environment;
  environment.now = [this] { return Now(); };
  environment.entropy = [this] {
    Prng& bits = process_->entropy;
    return Entropy{bits.Next(), bits.Next()};
  };
  environment.wake = [this] { woken_ = true; };
  process.driver = std::make_unique<Driver>(
      std::move(leases), plan_->policy, static_cast<std::size_t>(index_),
      &process.board, &process.recorder, std::move(environment));
  scene_->Note(Incident::Kind::kStarted, index_, -1, number);
  if (on_start_) on_start_(index_);
  PumpIn(microseconds(1));
}

int SimNode::IdentityNumber() {
  auto& known = scene_->history.identities;
  auto found = std::find(known.begin(), known.end(), identity_);
  if (found == known.end()) found = known.insert(known.end(), identity_);
  return static_cast<int>(found - known.begin());
}

void SimNode::Note(int lease, const AuthoritySnapshot& snapshot) {
  scene_->history.published.push_back(Published{
      scene_->now(), index_, lease, true, identity_number_, snapshot,
      snapshot.renew_interval, snapshot.try_limit, snapshot.round_trip_p99});
  if (snapshot.term && on_term_) on_term_(lease);
}

void SimNode::PumpIn(Duration true_delay) {
  const TrueTime at = scene_->now() + true_delay;
  if (pump_epoch_ != 0 && pump_at_ >= scene_->now() && pump_at_ <= at) return;
  pump_at_ = at;
  const std::uint64_t epoch = ++pump_epoch_;
  const int process = process_number_;
  scene_->queue.At(at, [this, process, epoch] {
    if (epoch != pump_epoch_) return;
    pump_at_ = TrueTime{-1};
    Deliver(process, [this] { woken_ = true; });
  });
}

void SimNode::Pump() {
  ++pump_epoch_;
  pump_at_ = TrueTime{-1};
  const Duration due = process_->driver->Pump();
  if (process_->driver->Finished()) {
    // Exits; the pod's next process comes after a while.
    Crash(scene_->chance.Between(seconds(1), seconds(20)));
    return;
  }
  if (due == Duration::max()) return;
  PumpIn(clock().TrueDelay(due) +
         scene_->chance.Between(microseconds(20), microseconds(200)));
}

void SimNode::Die() {
  if (!process_) return;
  process_.reset();
  waiting_.clear();
  ++pump_epoch_;
  pump_at_ = TrueTime{-1};
  for (int lease = 0; lease < plan_->leases; ++lease) {
    scene_->history.published.push_back(
        Published{scene_->now(), index_, lease, false, 0, {}, {}, {}, {}});
  }
}

void SimNode::Crash(Duration delay) {
  if (!process_) return;
  // Not from inside its own call stack.
  const int process = process_number_;
  scene_->queue.In(Duration{0}, [this, process, delay] {
    if (process != process_number_ || !process_) return;
    Die();
    scene_->queue.In(delay, [this] {
      if (!process_) StartProcess();
    });
  });
}

void SimNode::Drain() {
  if (!process_) return;
  Deliver(process_number_, [this] { process_->driver->StartDraining(); });
  // The kubelet's patience ends with SIGKILL.
  const int process = process_number_;
  scene_->queue.In(seconds(30), [this, process] {
    if (process == process_number_) Crash(seconds(1));
  });
}

void SimNode::Stop(bool work_too) {
  ++driver_stops_;
  if (!work_too) return;
  if (work_stops_++ == 0) {
    scene_->history.standstills.push_back(Standstill{index_, scene_->now()});
  }
}

void SimNode::Resume() {
  driver_stops_ = 0;
  work_stops_ = 0;
  for (Standstill& one : scene_->history.standstills) {
    if (one.node == index_) one.to = std::min(one.to, scene_->now());
  }
  // What became ready meanwhile comes in any order.
  for (std::vector<Task>* tasks : {&waiting_, &work_waiting_}) {
    std::vector<Task> ready = std::exchange(*tasks, {});
    while (!ready.empty()) {
      const auto pick = static_cast<std::size_t>(scene_->chance.Between(
          0, static_cast<std::int64_t>(ready.size()) - 1));
      std::swap(ready[pick], ready.back());
      scene_->queue.In(
          scene_->chance.Between(Duration{0}, microseconds(300)),
          [this, number = process_number_, own = tasks == &waiting_,
           task = std::make_shared<Task>(std::move(ready.back()))] {
            if (own) {
              Deliver(number, std::move(*task));
            } else {
              DeliverWork(std::move(*task));
            }
          });
      ready.pop_back();
    }
  }
  if (on_resume_) on_resume_();
}

void SimNode::Deliver(int process, Task task) {
  if (!process_ || process != process_number_) return;
  if (!DriverRuns()) {
    waiting_.push_back(std::move(task));
    return;
  }
  const bool outermost = !std::exchange(delivering_, true);
  task();
  if (!outermost) return;
  delivering_ = false;
  if (!std::exchange(woken_, false)) return;
  // Mostly at once; now and then late enough for inputs to come together.
  if (scene_->chance.Permille(950)) return Pump();
  PumpIn(scene_->chance.Between(microseconds(1), milliseconds(2)));
}

void SimNode::DeliverWork(Task task) {
  if (!WorkRuns()) {
    work_waiting_.push_back(std::move(task));
    return;
  }
  task();
}

CertaintyAnswer SimNode::AnswerNow(int lease) {
  if (!process_) return CertaintyAnswer{};
  return CertaintyAt(*process_->board.Read(static_cast<std::size_t>(lease)),
                     Now());
}

std::optional<CertaintyAnswer> SimNode::Ask(int lease) {
  if (!process_ || !WorkRuns()) return std::nullopt;
  return AnswerNow(lease);
}

bool SimNode::Draining(int lease) {
  return process_ &&
         process_->board.Read(static_cast<std::size_t>(lease))->draining;
}

void SimNode::Control(ControlRequest request, ControlPort::Done done) {
  const auto call =
      std::make_shared<std::pair<ControlRequest, ControlPort::Done>>(
          std::move(request), std::move(done));
  Deliver(process_number_, [this, call] {
    process_->driver->Control(std::move(call->first), call->second);
  });
}

void SimNode::RaiseFloor(int lease, std::int64_t floor,
                         const std::function<void()>& taken) {
  Control(
      {ControlRequest::Kind::kFloor, static_cast<std::size_t>(lease), floor},
      [this, lease, floor, taken](const ControlReply& reply) {
        if (reply.error) return;
        if (taken) taken();
        scene_->history.floors.push_back(
            FloorTaken{index_, lease, process_number_, floor,
                       scene_->history.sent.size()});
      });
}

}  // namespace tenure::sim
