// After a suspension, in which the raw clock stood still, whatever this process
// waits for on its own account has come nearer by the time slept (S2, "Time").
#include <gtest/gtest.h>

#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = AuthorityBench;

void Sleep(Bench& bench, Duration by) {
  bench.now.instant.boot += by;
  bench.now.wall.since_epoch +=
      std::chrono::duration_cast<std::chrono::microseconds>(by);
}

// A standby of another holder, just told so.
void Stand(Bench& bench) {
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
}

TEST(Suspension, EndsTheTerm) {
  Bench bench;
  bench.Acquire();
  Sleep(bench, seconds(15));
  bench.Step(Tick{});
  EXPECT_FALSE(bench.core.Snapshot().term);
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 1);
}

TEST(Suspension, OfAnAcquisitionUnderWayLeavesNothingToClaim) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  Sleep(bench, seconds(15));
  bench.Deliver();
  EXPECT_EQ(bench.Count(Transition::Kind::kAcquired), 0);
}

TEST(Suspension, MakesTheRenewalDue) {
  Bench bench;
  bench.Acquire();
  Sleep(bench, seconds(3));
  bench.Step(Tick{});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRenew);
}

TEST(Suspension, MakesTheNextTryDue) {
  Bench bench;
  bench.StartRenewing();
  bench.FailWith(ErrorCode::kThrottled);
  ASSERT_FALSE(bench.request);
  Sleep(bench, seconds(1));
  bench.Step(Tick{});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRenew);
}

TEST(Suspension, MakesTheNextLookDue) {
  Bench polling;
  Stand(polling);
  Sleep(polling, seconds(3));
  polling.Step(Tick{});
  EXPECT_EQ(polling.InFlight(), RequestKind::kRead);
  Bench watching;
  Stand(watching);
  watching.Step(WatchEvent{WatchEvent::Kind::kOpened, {}, ""});
  Sleep(watching, seconds(12));
  watching.Step(Tick{});
  EXPECT_FALSE(watching.request) << "the watch may be alive";
  Sleep(watching, seconds(2));
  watching.Step(Tick{});
  EXPECT_EQ(watching.InFlight(), RequestKind::kRead);
}

TEST(Suspension, LeavesNothingKnownOfTheServer) {
  Bench bench;
  bench.Step(SetContention{false});
  bench.server.CreateByHand(Bench::Free());
  bench.Deliver();
  ASSERT_TRUE(bench.core.Takeable(bench.now));
  Sleep(bench, seconds(15));
  EXPECT_FALSE(bench.core.Takeable(bench.now));
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  EXPECT_STREQ(bench.Ask().reason, "silence");
}

TEST(Suspension, EndsAReleaseThatNobodyWaitsForAnyMore) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(GiveUp{generation});
  bench.Step(Drain{});
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  EXPECT_FALSE(bench.core.Snapshot().finished);
  // Past the own claim, but the slowest contender still waits for its end.
  Sleep(bench, seconds(15));
  bench.Step(Tick{});
  EXPECT_FALSE(bench.core.Snapshot().finished);
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.FailWith(ErrorCode::kNotSent);
  Sleep(bench, seconds(1));
  bench.Step(Tick{});
  EXPECT_TRUE(bench.core.Snapshot().finished);
}

// With a request in flight nothing but these ends is waited for.
TEST(Suspension, BringsEachDeadlineNearer) {
  Bench holder;
  holder.StartRenewing();  // some 2 s after sending
  Sleep(holder, milliseconds(7'500));
  EXPECT_LE(holder.core.NextDeadline(holder.now), milliseconds(700));
  Bench standby;
  Stand(standby);
  standby.Run(seconds(2));
  ASSERT_EQ(standby.InFlight(), RequestKind::kRead);
  Sleep(standby, milliseconds(12'500));
  EXPECT_LE(standby.core.NextDeadline(standby.now), milliseconds(500));
  Bench leaver;
  leaver.Step(GiveUp{leaver.Acquire()});
  ASSERT_EQ(leaver.InFlight(), RequestKind::kRelease);
  Sleep(leaver, milliseconds(15'050));
  EXPECT_LE(leaver.core.NextDeadline(leaver.now), milliseconds(100));
}

TEST(Suspension, IsMeasuredAsAPauseAndAsARoundTrip) {
  Bench bench;
  Stand(bench);
  const Duration margin = bench.core.Snapshot().margin;
  Sleep(bench, seconds(5));  // 3 s more than was to be waited
  bench.Step(Tick{});
  EXPECT_LE(bench.core.Snapshot().margin, margin - seconds(2));
  Sleep(bench, seconds(3));
  bench.Deliver();
  EXPECT_GE(bench.core.Snapshot().round_trip_last, seconds(3));
}

// A drain waits for the work, not for a claim that a suspension used up.
TEST(Suspension, EndsATermThatIsDrainingToo) {
  AuthorityBench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(StartWork{generation});
  bench.Step(Drain{});
  bench.now.instant.boot += std::chrono::seconds(60);  // raw stood still
  bench.Step(Tick{});
  EXPECT_FALSE(bench.core.Snapshot().term);
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 1);
}

}  // namespace
}  // namespace tenure
