// Unknown outcomes, conflicts, clocks and the watch (S3, S5, S9; "Time").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = AuthorityBench;

// A bench whose acquisition left and is not answered.
void StartAcquiring(Bench& bench) {
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
}

TEST(S5Unknown, AnAcquisitionIsUncertainUntilARead) {
  Bench bench;
  StartAcquiring(bench);
  bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.Run(seconds(3));
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
}

TEST(S5Unknown, AReadThatShowsOurNonceCountsFromThatWrite) {
  Bench bench;
  StartAcquiring(bench);
  const Instant sent = bench.now.instant;
  bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown, seconds(1));
  bench.Run(seconds(3));
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Ask().until_renew_by,
            seconds(10) - (bench.now.instant.boot - sent.boot));
}

TEST(S5Unknown, AReadThatShowsNothingOfOursFreesTheWay) {
  Bench bench;
  StartAcquiring(bench);
  const std::string first = bench.request->write.write;
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(3));
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kStandby);
  bench.Run(seconds(3));
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  EXPECT_NE(bench.request->write.write, first);
}

TEST(S5Unknown, ARenewalIsReadBeforeAnythingElseIsWritten) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  const Duration before = bench.Ask().until_renew_by;
  bench.Deliver();
  EXPECT_GT(bench.Ask().until_renew_by, before);
}

TEST(S5Unknown, AConflictIsSettledByTheNonceToo) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  bench.Apply();  // landed, and was sent again by something on the way
  bench.Answer(bench.Apply());
  bench.Run(seconds(1));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  const Duration before = bench.Ask().until_renew_by;
  bench.Deliver();
  EXPECT_GT(bench.Ask().until_renew_by, before);
  // And whoever sees it later knows it for ours, not for a copy's.
  bench.Pass(milliseconds(1));
  bench.Fresh(bench.server.Get());
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

// Of an acquisition it may be settled already, by the winner's event; of a
// renewal there is no winner whose event could be known.
TEST(S5Unknown, AConflictOfARenewalIsReadWhateverWasSeenMeanwhile) {
  Bench bench;
  bench.StartRenewing();
  bench.server.EditByHand([](LeaseRecord* r) { r->write.clear(); });
  bench.Fresh(bench.server.Get());
  ASSERT_EQ(bench.Told(), Certainty::kHeld);
  bench.Deliver();  // 409
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
}

TEST(S5Marks, AreFreshForEveryWrite) {
  Bench bench;
  bench.Acquire();
  std::vector<std::string> marks;
  for (int i = 0; i < 20; ++i) {
    bench.Run(seconds(3));
    if (bench.InFlight() == RequestKind::kRenew) {
      EXPECT_THAT(marks,
                  testing::Not(testing::Contains(bench.request->write.write)));
      marks.push_back(bench.request->write.write);
    }
    bench.Deliver();
  }
  EXPECT_GE(marks.size(), 15U);
}

TEST(S3Conflict, ByARelabellingGoesOnWithTheSameTerm) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.server.EditByHand([](LeaseRecord* r) { r->document = "label"; });
  bench.Run(seconds(2));
  bench.Deliver();
  bench.Deliver();
  bench.Run(seconds(2));
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Ask().generation, generation);
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 0);
}

TEST(S3Conflict, ByACopyOfThisProcessEndsTheTerm) {
  Bench bench;
  bench.Acquire();
  bench.server.EditByHand([](LeaseRecord* r) {
    r->write = WriteMark("pod_uid_1", Entropy{666, 666});
  });
  bench.Run(seconds(2));
  bench.Deliver();
  bench.Deliver();
  EXPECT_FALSE(bench.core.Snapshot().term);
  // And it is not "our own name" that may return at once.
  bench.Run(seconds(5));
  EXPECT_NE(bench.InFlight(), RequestKind::kAcquire);
}

TEST(Time, AnAnswerFromLongAgoLeavesTheAnswerUncertain) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  const sim::Answer answer = bench.Apply();
  bench.Answer(answer, seconds(11));
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  EXPECT_GT(bench.Ask().until_valid_until, Duration{0});
}

TEST(Time, DoubtIsClearedOnlyByARenewalSentAfterItWasNoticed) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));  // a renewal leaves
  const sim::Answer answer = bench.Apply();
  bench.now.wall.since_epoch += seconds(6);
  bench.Step(Tick{});
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.now.wall.since_epoch -= seconds(6);  // and back
  bench.Answer(answer);
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.Run(seconds(1));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

// The acquisition itself was under way when the machine was paused: not even
// a wall clock that is set back afterwards gives certainty.
TEST(Time, ATermThatBeginsUnderDoubtIsRenewedFirst) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.now.wall.since_epoch += seconds(6);
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  EXPECT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.now.wall.since_epoch -= seconds(6);
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

TEST(Time, WallAheadRenewsAtOnce) {
  Bench bench;
  bench.Acquire();
  bench.now.wall.since_epoch += seconds(3);
  bench.Step(Tick{});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRenew);
}

TEST(Time, RetryAfterIsHonouredOnlyUpToTheNextSlot) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  bench.FailWith(ErrorCode::kThrottled, milliseconds(10), seconds(120));
  EXPECT_FALSE(bench.request);
  bench.Run(seconds(2) + milliseconds(1));
  EXPECT_TRUE(bench.request);
}

TEST(Time, ThreeTriesFitBeforeRenewBy) {
  Bench bench;
  bench.Acquire();
  int tries = 0;
  while (bench.Told() == Certainty::kHeld) {
    bench.Run(seconds(1));
    if (!bench.request) continue;
    ++tries;
    bench.FailWith(ErrorCode::kOutcomeUnknown, bench.request->limit);
  }
  EXPECT_GE(tries, 3);
}

TEST(Watch, OldEventsAreDropped) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  const LeaseRecord old = *bench.server.lease();
  bench.server.EditByHand([](LeaseRecord* r) { *r = Bench::HeldBy("other"); });
  bench.Step(Tick{});
  bench.Deliver();
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, old, ""});
  EXPECT_FALSE(bench.request);
  EXPECT_EQ(bench.core.Snapshot().holder, "other");
}

TEST(Watch, ALoserOfARaceWaitsForTheWinnersEventNotWithARead) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
  bench.Step(WatchEvent{WatchEvent::Kind::kOpened, {}, ""});
  bench.server.EditByHand([](LeaseRecord* r) { *r = Bench::Free(); });
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, *bench.server.lease(), ""});
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.server.EditByHand([](LeaseRecord* r) { *r = Bench::HeldBy("winner"); });
  bench.Deliver();  // 409
  bench.Run(milliseconds(500));
  EXPECT_FALSE(bench.request);
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, *bench.server.lease(), ""});
  EXPECT_FALSE(bench.request);
  EXPECT_EQ(bench.core.Snapshot().holder, "winner");
}

TEST(Watch, NeverGrantsAuthority) {
  Bench bench;
  StartAcquiring(bench);
  bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  // The event shows our own acquisition; only a read may settle it.
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, *bench.server.lease(), ""});
  EXPECT_NE(bench.Told(), Certainty::kHeld);
}

TEST(Watch, EndsATermThatItContradicts) {
  Bench bench;
  bench.Acquire();
  bench.server.EditByHand([](LeaseRecord* r) { r->holder = "other"; });
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, *bench.server.lease(), ""});
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 1);
}

TEST(Watch, ThatIsOverIsReplacedByPolling) {
  for (const auto kind :
       {WatchEvent::Kind::kExpired, WatchEvent::Kind::kClosed}) {
    Bench bench;
    bench.server.CreateByHand(Bench::HeldBy("other"));
    bench.Step(Tick{});
    bench.Deliver();
    bench.Step(WatchEvent{WatchEvent::Kind::kOpened, {}, ""});
    bench.Step(WatchEvent{kind, {}, ""});
    if (bench.request) bench.Deliver();
    bench.Run(seconds(2));
    EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
  }
}

TEST(Watch, IsNotWantedInATerm) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
  EXPECT_TRUE(bench.core.WantsWatch());
  Bench holder;
  holder.Acquire();
  EXPECT_FALSE(holder.core.WantsWatch());
}

TEST(Watch, DeniedIsSaidOnceAndThenItPolls) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
  bench.Step(WatchEvent{WatchEvent::Kind::kDenied, {}, "no watch verb"});
  bench.Step(WatchEvent{WatchEvent::Kind::kDenied, {}, "no watch verb"});
  EXPECT_EQ(bench.Count(Transition::Kind::kWatchDenied), 1);
  EXPECT_FALSE(bench.core.WantsWatch());
  bench.Run(seconds(2));
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
}

TEST(Refusals, NameTheWayOutAndEndWithTheirCause) {
  Bench bench;
  LeaseRecord record = Bench::Free();
  record.generation = "12x";
  bench.server.CreateByHand(record);
  bench.Step(Tick{});
  bench.Deliver();
  EXPECT_FALSE(bench.request);
  EXPECT_THAT(bench.core.Snapshot().refusal,
              testing::HasSubstr("minGeneration"));
  EXPECT_STREQ(bench.core.Snapshot().refusal_reason, "generation");
  bench.server.EditByHand([](LeaseRecord* r) { r->generation = "500"; });
  // Looked at again within two intervals.
  for (int i = 0; i < 3 && !bench.core.Snapshot().term; ++i) {
    bench.Run(seconds(2));
    if (bench.request) bench.Deliver();
  }
  EXPECT_EQ(bench.Ask().generation, 501);
  EXPECT_EQ(bench.core.Snapshot().refusal, "");
}

}  // namespace
}  // namespace tenure
