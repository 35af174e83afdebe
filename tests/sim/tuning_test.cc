// The renew interval and the per-try limit follow what is measured: round trips
// whose p99 rises from 5 ms to 1 s for ten minutes lose no term at 15/10/2, and
// the interval moves within its bounds and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/sim/calm_world.h"
#include "tests/sim/checkers.h"

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr TrueTime kSlowFrom = minutes(5);
constexpr TrueTime kSlowTo = minutes(15);
constexpr TrueTime kEnd = minutes(30);

struct Seen {
  TrueTime at{0};
  Duration interval{0};
  Duration try_limit{0};
  Duration p99{0};
};

// What the holder published over time.
std::vector<Seen> Published(const History& history, int node) {
  std::vector<Seen> seen;
  for (const auto& one : history.published) {
    if (one.node != node || !one.alive) continue;
    seen.push_back(
        {one.at, one.renew_interval, one.try_limit, one.round_trip_p99});
  }
  return seen;
}

std::vector<Seen> Between(const std::vector<Seen>& all, TrueTime from,
                          TrueTime to) {
  std::vector<Seen> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const Seen& one) { return one.at >= from && one.at < to; });
  return some;
}

// 5 ms round trips before and after; `sudden` or over two minutes, up to 1 s.
void RunSlowed(World& world, bool sudden) {
  const auto links = [&](Duration one_way, Duration jitter) {
    for (int node = 0; node < 2; ++node) {
      world.service().link(node).one_way = one_way;
      world.service().link(node).jitter = jitter;
    }
  };
  const Duration step = seconds(1);
  for (TrueTime at{0}; at < kEnd; at += step) {
    const bool slow = at >= kSlowFrom && at < kSlowTo;
    const std::int64_t share =
        !slow    ? 0
        : sudden ? 100
                 : std::min<std::int64_t>(100, (at - kSlowFrom) / step);
    links(milliseconds(1) + milliseconds(150) * share / 100,
          milliseconds(1) + milliseconds(370) * share / 100);
    world.RunUntil(at + step);
  }
}

class Tuning : public testing::TestWithParam<bool> {};

TEST_P(Tuning, SlowRoundTripsLoseNoTermAndTheIntervalMovesAndReturns) {
  const WorldPlan plan = CalmPlan(2, kEnd);
  World world(plan);
  RunSlowed(world, GetParam());
  const int holder = HolderOf(world, 2);
  ASSERT_GE(holder, 0);

  for (const Transitioned& one : world.history().transitions) {
    if (one.at < minutes(1)) continue;
    EXPECT_NE(one.kind, Transition::Kind::kLost) << one.reason;
    EXPECT_NE(one.kind, Transition::Kind::kUncertain) << one.reason;
    EXPECT_NE(one.kind, Transition::Kind::kAcquired);
  }
  const std::vector<Seen> all = Published(world.history(), holder);
  for (const Seen& one : all) {
    EXPECT_GE(one.interval, plan.times.min_renew_interval);
    EXPECT_LE(one.interval, plan.times.renew_interval);
    EXPECT_GE(one.try_limit, plan.times.min_try_limit);
    EXPECT_LE(one.try_limit, plan.times.max_try_limit);
  }
  const auto interval = [](const Seen& a, const Seen& b) {
    return a.interval < b.interval;
  };
  const std::vector<Seen> before = Between(all, minutes(2), kSlowFrom);
  const std::vector<Seen> slow = Between(all, minutes(12), kSlowTo);
  const std::vector<Seen> after = Between(all, minutes(28), kEnd);
  ASSERT_FALSE(before.empty() || slow.empty() || after.empty());
  EXPECT_EQ(std::min_element(before.begin(), before.end(), interval)->interval,
            plan.times.renew_interval);
  EXPECT_LT(std::max_element(slow.begin(), slow.end(), interval)->interval,
            plan.times.renew_interval);
  EXPECT_GE(slow.back().p99, milliseconds(850));
  EXPECT_GT(slow.back().try_limit, before.back().try_limit);
  EXPECT_EQ(std::min_element(after.begin(), after.end(), interval)->interval,
            plan.times.renew_interval);
  EXPECT_LE(after.back().p99, milliseconds(10));
  EXPECT_THAT(Violations(world.history()), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(RisingAndSudden, Tuning, testing::Bool(),
                         [](const auto& sudden) {
                           return sudden.param ? "Sudden" : "Rising";
                         });

}  // namespace
}  // namespace tenure::sim
