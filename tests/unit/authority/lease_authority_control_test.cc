// Work, release, floor and drain (S10).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sidecar/authority/generation.h"
#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::seconds;
using Bench = AuthorityBench;

std::optional<ErrorCode> ReplyCode(const Output& output) {
  EXPECT_TRUE(output.reply);
  if (!output.reply || !output.reply->error) return std::nullopt;
  return output.reply->error->code;
}

TEST(S10Work, IsRefusedUnderAnotherGeneration) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation - 1})),
            ErrorCode::kConflict);
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation})), std::nullopt);
  EXPECT_EQ(ReplyCode(bench.Step(FinishWork{generation - 1})),
            ErrorCode::kConflict);
  EXPECT_EQ(ReplyCode(bench.Step(FinishWork{generation})), std::nullopt);
  EXPECT_EQ(ReplyCode(bench.Step(FinishWork{generation})),
            ErrorCode::kConflict);
}

TEST(S10Work, IsRefusedWhileInDoubt) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Pass(seconds(11));
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation})), ErrorCode::kConflict);
}

TEST(S10Work, IsBounded) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  int started = 0;
  while (ReplyCode(bench.Step(StartWork{generation})) == std::nullopt) {
    ++started;
    ASSERT_LE(started, 100'000);
  }
  EXPECT_EQ(bench.core.Snapshot().work_running, started);
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation})),
            ErrorCode::kUnavailable);
}

TEST(S10Work, IsRefusedWhileAReleaseWaitsForItsTurn) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.Step(GiveUp{generation});
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation})),
            ErrorCode::kUnavailable);
  bench.Deliver();
  EXPECT_EQ(bench.InFlight(), RequestKind::kRelease);
}

TEST(S10Release, IsRefusedUnderRunningWorkAndUnderAnotherGeneration) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  EXPECT_EQ(ReplyCode(bench.Step(GiveUp{generation - 1})),
            ErrorCode::kConflict);
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  bench.Step(StartWork{generation});
  EXPECT_EQ(ReplyCode(bench.Step(GiveUp{generation})), ErrorCode::kConflict);
  EXPECT_EQ(ReplyCode(bench.Step(GiveUp{generation + 1})),
            ErrorCode::kConflict);
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

TEST(S10Release, EndsTheTermTheInstantItIsSent) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(GiveUp{generation});
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  EXPECT_EQ(bench.Told(), Certainty::kStandby);
  EXPECT_EQ(bench.request->write.holder, "");
  EXPECT_EQ(bench.request->write.duration_seconds, 1);
  EXPECT_EQ(bench.request->write.generation, generation);
}

TEST(S10Release, NeverBringsTheTermBackWhateverBecomesOfIt) {
  for (const ErrorCode code :
       {ErrorCode::kOutcomeUnknown, ErrorCode::kConflict, ErrorCode::kThrottled,
        ErrorCode::kForbidden, ErrorCode::kNotSent, ErrorCode::kRefused,
        ErrorCode::kUnauthenticated}) {
    Bench bench;
    const std::int64_t generation = bench.Acquire();
    bench.Step(GiveUp{generation});
    bench.FailWith(code);
    for (int i = 0; i < 8; ++i) {
      EXPECT_NE(bench.Ask().generation, generation);
      if (bench.request) {
        // Only the same release again, or a read.
        EXPECT_TRUE(bench.InFlight() == RequestKind::kRead ||
                    bench.InFlight() == RequestKind::kRelease)
            << ErrorCodeName(code);
        bench.FailWith(bench.InFlight() == RequestKind::kRead
                           ? ErrorCode::kNotSent
                           : code);
      }
      bench.Run(seconds(1));
    }
  }
}

TEST(S10Release, IsSentAgainUntilItLanded) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(GiveUp{generation});
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  bench.Deliver();
  EXPECT_TRUE(IsReleased(*bench.server.lease()));
  EXPECT_EQ(bench.Count(Transition::Kind::kReleased), 1);
}

TEST(S10Drain, WaitsForDone) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(StartWork{generation});
  bench.Step(Drain{});
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_TRUE(bench.core.Snapshot().draining);
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation})),
            ErrorCode::kUnavailable);
  bench.Run(seconds(2));
  EXPECT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.Deliver();
  bench.Step(FinishWork{generation});
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  bench.Deliver();
  EXPECT_TRUE(bench.core.Snapshot().finished);
  EXPECT_EQ(bench.Count(Transition::Kind::kFinished), 1);
}

TEST(S10Drain, WaitsForTheLastDone) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(StartWork{generation});
  bench.Step(StartWork{generation});
  bench.Step(Drain{});
  bench.Step(FinishWork{generation});
  EXPECT_FALSE(bench.request);
  EXPECT_EQ(bench.core.Snapshot().work_running, 1);
  bench.Step(FinishWork{generation});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRelease);
}

TEST(S10Drain, OfALostTermReleasesNothing) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(StartWork{generation});
  bench.Step(Drain{});
  bench.Step(RaiseFloor{generation});  // ends the term
  bench.Step(FinishWork{generation});
  EXPECT_FALSE(bench.request);
  EXPECT_TRUE(bench.core.Snapshot().finished);
}

// A term won in the last moment is kept while work of an earlier one may run.
TEST(S10Drain, HoldsATermThatBeganUnderOlderWork) {
  Bench bench;
  const std::int64_t first = bench.Acquire();
  bench.Step(StartWork{first});
  bench.Step(RaiseFloor{first});
  while (bench.InFlight() != RequestKind::kAcquire) {
    if (bench.request) bench.Deliver();
    bench.Run(seconds(1));
  }
  bench.Step(Drain{});
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_FALSE(bench.request);
  bench.Step(FinishWork{first});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRelease);
}

TEST(S10Drain, AskedForTwiceIsSaidOnce) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(StartWork{generation});
  bench.Step(Drain{});
  bench.Step(Drain{});
  EXPECT_EQ(bench.Count(Transition::Kind::kDraining), 1);
}

TEST(S10Drain, OfAStandbyFinishesAtOnce) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
  bench.Step(Drain{});
  EXPECT_TRUE(bench.core.Snapshot().finished);
  bench.Run(seconds(60));
  EXPECT_FALSE(bench.request);
}

TEST(S10Drain, SettlesAnAcquisitionInFlightAndReleasesIt) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.Step(Drain{});
  EXPECT_FALSE(bench.core.Snapshot().finished);
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  bench.Deliver();
  EXPECT_TRUE(bench.core.Snapshot().finished);
}

TEST(S6Return, AtOnceOnlyWhenOurWorkIsDone) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(StartWork{generation});
  bench.Step(RaiseFloor{generation});  // ends the term
  bench.Run(seconds(5));
  if (bench.request) bench.Deliver();
  EXPECT_NE(bench.InFlight(), RequestKind::kAcquire);
  bench.Step(FinishWork{generation});
  bench.Run(seconds(1));
  if (bench.InFlight() == RequestKind::kRead) bench.Deliver();
  bench.Run(seconds(1));
  EXPECT_EQ(bench.InFlight(), RequestKind::kAcquire);
}

TEST(Floor, BelowOurGenerationChangesNothing) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  for (const std::int64_t floor : {std::int64_t{0}, generation - 1}) {
    EXPECT_EQ(ReplyCode(bench.Step(RaiseFloor{floor})), std::nullopt);
    EXPECT_EQ(bench.Told(), Certainty::kHeld);
  }
}

TEST(Floor, AtOurGenerationEndsTheTermAndTheNextIsAboveIt) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  EXPECT_EQ(ReplyCode(bench.Step(RaiseFloor{generation + 1000})), std::nullopt);
  EXPECT_NE(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.core.Snapshot().highest_generation, generation + 1000);
  while (bench.Told() != Certainty::kHeld) {
    if (bench.request) bench.Deliver();
    bench.Run(seconds(1));
  }
  EXPECT_EQ(bench.Ask().generation, generation + 1001);
}

TEST(Floor, IsNeverLowered) {
  Bench bench;
  EXPECT_EQ(ReplyCode(bench.Step(RaiseFloor{1000})), std::nullopt);
  EXPECT_EQ(ReplyCode(bench.Step(RaiseFloor{1})), std::nullopt);
  bench.server.CreateByHand(Bench::Free());
  bench.Deliver();
  bench.Deliver();
  EXPECT_EQ(bench.Ask().generation, 1001);
}

// Whether the acquisition is acknowledged, or found to have landed.
TEST(Floor, RaisedToAnAcquisitionUnderWayLeavesItNoAuthority) {
  for (const bool lost : {false, true}) {
    Bench bench;
    bench.server.CreateByHand(Bench::Free());
    bench.Step(Tick{});
    bench.Deliver();
    ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
    const std::int64_t floor = *bench.request->write.generation;
    bench.Step(RaiseFloor{floor});
    if (lost) {
      bench.Apply();
      bench.FailWith(ErrorCode::kOutcomeUnknown);
      bench.Run(seconds(3));
    }
    bench.Deliver();
    EXPECT_EQ(bench.Count(Transition::Kind::kAcquired), 0);
    bench.Run(seconds(3));
    ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
    bench.Deliver();
    EXPECT_GT(bench.Ask().generation, floor);
  }
}

TEST(Floor, OutOfRangeIsRefusedAndChangesNothing) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  // At kMaxGeneration no next generation would be left above it.
  for (const std::int64_t floor : {std::int64_t{-1}, kMaxGeneration,
                                   kMaxGeneration + 1, std::int64_t{1} << 62}) {
    EXPECT_EQ(ReplyCode(bench.Step(RaiseFloor{floor})),
              ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(bench.Ask().generation, generation);
}

TEST(Floor, TheHighestIsTaken) {
  Bench bench;
  bench.Acquire();
  EXPECT_EQ(ReplyCode(bench.Step(RaiseFloor{kMaxFloor})), std::nullopt);
  EXPECT_NE(bench.Told(), Certainty::kHeld);
}

TEST(Contention, WithoutPermissionAStandbyOnlyObserves) {
  Bench bench;
  bench.Step(SetContention{false});
  bench.server.CreateByHand(Bench::Free());
  if (!bench.request) bench.Step(Tick{});
  bench.Deliver();
  EXPECT_FALSE(bench.request);
  EXPECT_TRUE(bench.core.Takeable(bench.now));
  EXPECT_FALSE(bench.core.Engaged());
  bench.Step(SetContention{true});
  EXPECT_EQ(bench.InFlight(), RequestKind::kAcquire);
  EXPECT_TRUE(bench.core.Engaged());
}

// For LeaseSet: what could be had now, and what is or may be ours.
TEST(Contention, OnlyWhatCouldBeAcquiredNowIsTakeable) {
  Bench bench;
  EXPECT_FALSE(bench.core.Takeable(bench.now)) << "before the first read";
  const std::int64_t generation = bench.Acquire();
  EXPECT_FALSE(bench.core.Takeable(bench.now)) << "held already";
  EXPECT_TRUE(bench.core.Engaged());
  bench.Step(GiveUp{generation});
  EXPECT_FALSE(bench.core.Takeable(bench.now)) << "being released";
  EXPECT_FALSE(bench.core.Engaged());
  bench.Step(SetContention{false});
  bench.Deliver();
  EXPECT_FALSE(bench.core.Takeable(bench.now)) << "another has the first go";
  bench.Run(seconds(2));
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
  EXPECT_FALSE(bench.core.Engaged());
  bench.Deliver();
  EXPECT_TRUE(bench.core.Takeable(bench.now));
  bench.Pass(seconds(15));
  EXPECT_FALSE(bench.core.Takeable(bench.now)) << "nothing heard for D";
}

TEST(Contention, ADrainingStandbyTakesNothing) {
  Bench bench;
  bench.Step(SetContention{false});
  bench.server.CreateByHand(Bench::Free());
  bench.Deliver();
  EXPECT_TRUE(bench.core.Takeable(bench.now));
  bench.Step(Drain{});
  EXPECT_FALSE(bench.core.Takeable(bench.now));
}

}  // namespace
}  // namespace tenure
