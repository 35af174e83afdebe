#include "tests/exhaustive/small_world.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/check.h"
#include "tests/exhaustive/authority_digest.h"

namespace tenure::exhaustive {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kDriftPpm = 200'000;
constexpr std::int64_t kSlewPpm = 250'000;
constexpr Duration kTick = milliseconds(500);
constexpr Duration kLongestWait = seconds(20);

// What matters falls on whole ticks of true time: a claim and the wait for its
// end both last exactly D = 2 s, on the slowest and on the fastest clock.
LeaseTimes Times() {
  LeaseTimes times;
  times.lease_duration_seconds = 2;
  times.renew_deadline = milliseconds(1'200);
  times.renew_interval = milliseconds(400);
  times.min_renew_interval = times.renew_interval;
  times.min_try_limit = milliseconds(150);
  times.max_try_limit = times.min_try_limit;
  times.drift_ppm = kDriftPpm;
  const Result<LeaseTimes> effective = EffectiveTimes(times);
  CHECK(effective.has_value());
  return *effective;
}

Duration ToTick(Duration in) {
  return (in + kTick - Duration{1}) / kTick * kTick;
}

// Each a beginning of the next: whoever compares a part of a name mistakes one
// for the other (S8).
std::string Identity(int node, int restarts) {
  return "pod_uid_" +
         std::string(static_cast<std::size_t>(1 + node + kMostNodes * restarts),
                     '1');
}

}  // namespace

SmallWorld::SmallWorld(int nodes, int most_events, RuleCounts* counts)
    : counts_(counts), count_(nodes), most_events_(most_events), server_(6) {
  // A Lease that nobody holds: the interesting part begins at once.
  LeaseRecord free;
  free.duration_seconds = 1;
  server_.CreateByHand(free);
  server_.Compact();
  for (int node = 0; node < count_; ++node) Start(node);
  for (int node = 0; node < count_; ++node) {
    const Broken broken = Step(node, Tick{});
    CHECK(!broken);
  }
}

void SmallWorld::Start(int index) {
  Node& node = At(index);
  // What the killed process sent is still on its way.
  std::optional<Flight> lost = std::move(node.lost);
  if (node.flight && !node.flight->answer) lost = std::move(node.flight);
  if (lost && lost->request.kind == RequestKind::kRead) lost.reset();
  const Duration wall_ahead = node.wall_ahead;
  std::destroy_at(&node);
  std::construct_at(&node);
  node.lost = std::move(lost);
  node.wall_ahead = wall_ahead;
  node.identity = Identity(index, restarts_);
  AuthorityOptions options;
  options.identity = node.identity;
  options.times = Times();
  node.core.emplace(options);
  node.snapshot = node.core->Snapshot();
}

Moment SmallWorld::At(int node, Duration true_time) const {
  const std::int64_t sign = node == 0 ? -1 : 1;
  const auto read = [&](std::int64_t ppm) {
    return true_time + true_time.count() / 1'000'000 * Duration(sign * ppm);
  };
  Moment moment;
  moment.instant = Instant{read(kSlewPpm), read(kDriftPpm)};
  moment.wall.since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(
          moment.instant.boot + At(node).wall_ahead);
  return moment;
}

std::vector<Move> SmallWorld::Moves() const {
  std::vector<Move> moves{{Choice::kWait, 0}, {Choice::kOversleep, 0}};
  for (int i = 0; i < count_; ++i) {
    AddMovesOf(static_cast<std::uint8_t>(i), &moves);
  }
  if (events_ == most_events_) return moves;
  if (ClaimRunsFor() > Duration{0}) moves.push_back({Choice::kDoze, 0});
  if (server_.lease()) {
    const LeaseRecord& lease = *server_.lease();
    moves.push_back({Choice::kDelete, 0});
    moves.push_back({Choice::kRelabel, 0});
    moves.push_back({Choice::kForeign, 0});
    // The release form written by hand means that it is free: an operator's
    // word, which is believed.
    const bool one = lease.duration_seconds == 1;
    if (!lease.holder.empty()) moves.push_back({Choice::kShorten, 0});
    if (!lease.holder.empty() && !one) moves.push_back({Choice::kEmpty, 0});
  }
  return moves;
}

void SmallWorld::AddMovesOf(std::uint8_t i, std::vector<Move>* moves) const {
  const Node& node = At(i);
  const auto can = [moves, i](Choice choice) { moves->push_back({choice, i}); };
  can(Choice::kNap);
  if (node.flight) {
    if (node.flight->answer) {
      can(Choice::kAnswer);
    } else {
      can(Choice::kDeliver);
      can(Choice::kApply);
    }
    can(Choice::kBreak);
  }
  if (node.lost) can(Choice::kLand);
  if (node.core->WantsWatch() && node.told != server_.revision()) {
    can(Choice::kTell);
  }
  if (node.work) can(Choice::kDone);
  if (events_ == most_events_) return;
  if (node.streaming) can(Choice::kHangUp);
  can(Choice::kRestart);
  if (!node.snapshot.draining) can(Choice::kDrain);
  if (!node.snapshot.term) return;
  can(Choice::kRelease);
  can(Choice::kFresh);
  can(Choice::kFloor);
  can(Choice::kStep);
  if (!node.work) can(Choice::kWork);
}

// In ticks of true time: until the core is due. Approached from below, because
// a deadline that was passed without a step is named no more.
Duration SmallWorld::DueIn(int node) const {
  const LeaseAuthority& core = *At(node).core;
  Duration in{0};
  while (in < kLongestWait) {
    const Duration due = core.NextDeadline(At(node, now_ + in));
    if (due <= Duration{0}) return ToTick(in);
    // No reading runs faster than this.
    const Duration least = std::chrono::floor<milliseconds>(
        std::min(due, kLongestWait) * 100 / 126);
    if (least == Duration{0}) return ToTick(in + milliseconds(1));
    in += least;
  }
  return kLongestWait;
}

// Until the next deadline of a core or of a request, the sleeper's left out.
Duration SmallWorld::NextEdge(int sleeper) const {
  Duration next = kLongestWait;
  for (int i = 0; i < count_; ++i) {
    if (i == sleeper) continue;
    next = std::min(next, DueIn(i));
    if (const auto& flight = At(i).flight) {
      next = std::min(next,
                      ToTick(flight->sent_at + flight->request.limit - now_));
    }
  }
  return std::max(next, Duration{0});
}

// How many ticks every running claim still lasts; 0 if there is none.
Duration SmallWorld::ClaimRunsFor() const {
  Duration least = kLongestWait;
  for (int i = 0; i < count_; ++i) {
    const auto left = [&](Duration in) {
      return CertaintyAt(At(i).snapshot, At(i, now_ + in)).until_valid_until;
    };
    if (left(Duration{0}) == Duration{0}) continue;
    Duration in{0};
    while (left(in + kTick) > Duration{0}) in += kTick;
    least = std::min(least, in);
  }
  return least < kLongestWait ? least : Duration{0};
}

SmallWorld::Broken SmallWorld::Pass(Duration by) {
  now_ += by;
  return CheckAnswers();
}

SmallWorld::Broken SmallWorld::Wait(int sleeper) {
  const Duration next = NextEdge(sleeper);
  std::array<bool, kMostNodes> due{};
  for (int i = 0; i < count_; ++i) {
    due[static_cast<std::size_t>(i)] = i != sleeper && DueIn(i) <= next;
  }
  now_ += next;
  for (int i = 0; i < count_; ++i) {
    if (i == sleeper) continue;
    const auto& flight = At(i).flight;
    Broken broken;
    if (flight && now_ >= flight->sent_at + flight->request.limit) {
      broken = Break(i);
    } else if (due[static_cast<std::size_t>(i)]) {
      broken = Step(i, Tick{});
    }
    if (broken) return broken;
  }
  return CheckAnswers();
}

SmallWorld::Broken SmallWorld::CheckLiveness() {
  constexpr int kEnough = 60;
  for (int i = 0; i < count_; ++i) {
    if (At(i).snapshot.draining) return std::nullopt;
  }
  Count(Rule::kSomebodyHoldsInTheEnd);
  for (int i = 0; i < count_; ++i) At(i).lost.reset();
  for (int moves = 0; moves < kEnough && Holder() < 0; ++moves) {
    int talking = 0;
    while (talking < count_ && !At(talking).flight) ++talking;
    Broken broken;
    if (talking == count_) {
      broken = Wait(-1);
    } else {
      const Choice choice =
          At(talking).flight->answer ? Choice::kAnswer : Choice::kDeliver;
      broken = MakeForNode({choice, static_cast<std::uint8_t>(talking)});
    }
    if (broken) return broken;
  }
  if (Holder() < 0) return "S12: nobody holds though nothing is in the way";
  return std::nullopt;
}

}  // namespace tenure::exhaustive
