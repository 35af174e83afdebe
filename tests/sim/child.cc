#include "tests/sim/child.h"

#include <algorithm>
#include <memory>

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;

// The wake-up of a wrapper, a kill, the kernel's part in both.
constexpr Duration kLongestKill = milliseconds(20);
// One that stops when it is told takes at most so long.
constexpr Duration kLongestStop = milliseconds(3'000);

}  // namespace

void Child::Hear() {
  if (!asking_) AskIn(chance_.Between(Duration{0}, milliseconds(20)));
}

void Child::Resume() {
  if (guard_) ActIn(chance_.Between(Duration{0}, milliseconds(10)));
}

void Child::AskIn(Duration delay) {
  asking_ = true;
  scene_->queue.In(delay, [this] {
    asking_ = false;
    Ask();
  });
}

// The answer is computed some time after the question, and arrives some time
// after that; what it says remains counts from the question (S1).
void Child::Ask() {
  if (!node_->WorkRuns()) return;  // asks again when the pod runs
  asking_ = true;
  const auto trip = [this] {
    return chance_.LongTail(milliseconds(1), milliseconds(400));
  };
  scene_->queue.In(trip(), [this, trip, asked = node_->Now().instant] {
    const auto report = std::make_shared<Report>();
    report->asked = asked;
    const std::optional<CertaintyAnswer> answer = node_->Ask(lease_);
    if (!answer || !node_->alive()) {
      asking_ = false;
      return;
    }
    report->certainty = answer->certainty;
    report->reason = answer->reason;
    report->generation = answer->generation;
    report->to_renew_by = answer->until_renew_by;
    report->to_valid_until = answer->until_valid_until;
    report->try_limit = std::chrono::seconds(1);
    scene_->queue.In(trip(), [this, report] {
      asking_ = false;
      if (node_->WorkRuns()) Take(*report);
    });
  });
}

void Child::Take(const Report& report) {
  if (guard_) {
    guard_->OnReport(report, node_->Now().instant);
    return Act();
  }
  const bool late =
      LongestElapsed(report.asked, node_->Now().instant) >= report.to_renew_by;
  if (report.certainty != Certainty::kHeld || late) return;
  GuardOptions options;
  options.on_uncertain = static_cast<OnUncertain>(chance_.Between(0, 2));
  guard_.emplace(options, report);
  dies_at_ = TrueTime::max();
  record_ = scene_->history.children.size();
  ChildRun run;
  run.node = node_->index();
  run.lease = lease_;
  run.generation = report.generation;
  run.identity = node_->identity();
  run.started = scene_->now();
  scene_->history.children.push_back(run);
  Act();
}

void Child::Act() {
  if (!guard_ || !node_->WorkRuns()) return;
  const Instant now = node_->Now().instant;
  const GuardOrders orders = guard_->Decide(now);
  if (orders.kill) {
    DieIn(chance_.Between(Duration{0}, kLongestKill));
  } else if (!orders.to_group.empty() && chance_.Permille(500)) {
    DieIn(chance_.Between(Duration{0}, kLongestStop));
  }
  const Duration certain = guard_->Certain(now);
  if (!asking_ && certain != Duration::max()) {
    AskIn(std::max<Duration>(certain / 2, milliseconds(50)));
  }
  // Looked at half-way, too: the production gate has a timer on the boot clock,
  // and here a clock may change its rate meanwhile.
  const Duration next = guard_->NextDeadline(now);
  if (next != Duration::max()) {
    ActIn(std::max<Duration>(node_->clock().TrueDelay(next) / 2,
                             milliseconds(1)));
  }
}

void Child::ActIn(Duration delay) {
  scene_->queue.In(delay, [this, act = ++act_] {
    if (act == act_) Act();
  });
}

// Whichever comes first: a kill does not wait for who was told to stop.
void Child::DieIn(Duration delay) {
  const TrueTime at = scene_->now() + delay;
  if (dies_at_ <= at) return;
  dies_at_ = at;
  scene_->queue.At(at, [this, at] {
    if (dies_at_ != at) return;
    dies_at_ = TrueTime::max();
    // What stands still does not die, either.
    if (!node_->WorkRuns()) return;
    scene_->history.children[record_].ended = scene_->now();
    guard_.reset();
  });
}

}  // namespace tenure::sim
