// The core by its safety rules: how terms begin, go on and end.
#include "sidecar/authority/lease_authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = AuthorityBench;

TEST(S1Authority, IsUncertainUntilTheFirstReadIsAnswered) {
  Bench bench;
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.Step(Tick{});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kStandby);
}

TEST(S1Authority, EndsByItselfWhenNoStepIsMade) {
  Bench bench;
  bench.Acquire();
  bench.Pass(seconds(16));  // the driver hangs
  EXPECT_NE(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Ask().generation, 0);
}

TEST(S2Holder, CountsFromBeforeSending) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.Deliver(seconds(1));
  EXPECT_EQ(bench.Ask().until_renew_by, seconds(9));
  EXPECT_EQ(bench.Ask().until_valid_until, milliseconds(13'850));
}

TEST(S2Holder, AnAnswerAfterTheClaimsEndGivesNothing) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  bench.Deliver(seconds(15));
  EXPECT_NE(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Count(Transition::Kind::kAcquired), 0);
}

TEST(S2Contender, WaitsFromReceivingTheLastChangeForDAndTheDrift) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver(seconds(1));
  // A lively watch, so that nothing else is sent.
  for (int i = 0; i < 5; ++i) {
    bench.Step(WatchEvent{WatchEvent::Kind::kBookmark, {}, ""});
    bench.Run(seconds(3));
  }
  EXPECT_FALSE(bench.request);
  bench.Run(milliseconds(149));
  EXPECT_FALSE(bench.request);
  bench.Run(milliseconds(1));
  EXPECT_EQ(bench.InFlight(), RequestKind::kAcquire);
}

TEST(S2Contender, CountsTheShorterOfBothClocks) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
  bench.now.instant.boot += seconds(60);  // slept: raw stood still
  bench.Step(Tick{});
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  EXPECT_FALSE(bench.request);
}

TEST(S2Contender, NeverComparesRemoteTimestamps) {
  Bench bench;
  LeaseRecord ancient = Bench::HeldBy("other");
  ancient.renew_time = WallTime{std::chrono::microseconds(1)};
  bench.server.CreateByHand(ancient);
  bench.Step(Tick{});
  bench.Deliver();
  EXPECT_FALSE(bench.request);
}

TEST(S3Acknowledgement, ChangedOnTheWayGivesNoAuthority) {
  const auto told_after = [](const sim::ApiServerModel::Edit& webhook) {
    Bench bench;
    bench.server.CreateByHand(Bench::Free());
    bench.Step(Tick{});
    bench.Deliver();
    bench.server.SetWebhook(webhook);
    bench.Deliver();
    return bench.Told();
  };
  EXPECT_EQ(told_after([](LeaseRecord*) {}), Certainty::kHeld);
  EXPECT_NE(told_after([](LeaseRecord* r) { r->duration_seconds = 60; }),
            Certainty::kHeld);
  EXPECT_NE(told_after([](LeaseRecord* r) { r->duration_seconds.reset(); }),
            Certainty::kHeld);
  EXPECT_NE(told_after([](LeaseRecord* r) { r->holder = "x"; }),
            Certainty::kHeld);
  EXPECT_NE(told_after([](LeaseRecord* r) { r->write += "0"; }),
            Certainty::kHeld);
  EXPECT_NE(told_after([](LeaseRecord* r) { r->generation = "999"; }),
            Certainty::kHeld);
  EXPECT_NE(told_after([](LeaseRecord* r) { r->generation.reset(); }),
            Certainty::kHeld);
  EXPECT_NE(told_after([](LeaseRecord* r) { r->unreadable = "x"; }),
            Certainty::kHeld);
}

TEST(S3Acknowledgement, OfAnotherUidGivesNoAuthority) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  sim::Answer answer = bench.Apply();
  answer->record.uid = "another";
  bench.Answer(answer);
  EXPECT_NE(bench.Told(), Certainty::kHeld);
}

TEST(S3Reads, OnlyEndAuthority) {
  const auto ends = [](const sim::ApiServerModel::Edit& edit) {
    Bench bench;
    bench.Acquire();
    bench.server.EditByHand(edit);
    bench.Fresh(bench.server.Get());
    return !bench.core.Snapshot().term.has_value();
  };
  EXPECT_FALSE(ends([](LeaseRecord* r) { r->document = "label"; }));
  EXPECT_FALSE(ends([](LeaseRecord* r) { r->duration_seconds = 600; }));
  EXPECT_TRUE(ends([](LeaseRecord* r) { r->holder = "x"; }));
  EXPECT_TRUE(ends([](LeaseRecord* r) { r->holder.clear(); }));
  EXPECT_TRUE(ends([](LeaseRecord* r) { r->generation = "100000"; }));
  Bench bench;
  bench.Acquire();
  const Duration left = bench.Ask().until_valid_until;
  bench.Pass(seconds(3));
  bench.Fresh(bench.server.Get());
  EXPECT_EQ(bench.Ask().until_valid_until, left - seconds(3));
  bench.server.Delete();
  bench.Fresh(bench.server.Get());
  EXPECT_FALSE(bench.core.Snapshot().term);
}

TEST(S3Reads, OfAnotherUidEndTheTermThoughItLooksLikeOurs) {
  Bench bench;
  bench.Acquire();
  const LeaseRecord copy = *bench.server.lease();
  bench.server.Delete();
  bench.server.CreateByHand(copy);
  bench.Fresh(bench.server.Get());
  EXPECT_FALSE(bench.core.Snapshot().term);
}

TEST(S4Writes, CarryUidAndResourceVersion) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  EXPECT_EQ(bench.request->write.uid, "uid-1");
  EXPECT_EQ(bench.request->write.resource_version, "100");
  bench.Deliver();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  EXPECT_EQ(bench.request->write.uid, "uid-1");
  EXPECT_EQ(bench.request->write.resource_version, "101");
}

TEST(S4Writes, ACreateNamesNoHolderAndIsNotTheReleaseForm) {
  Bench bench;
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kCreate);
  EXPECT_EQ(bench.request->write.uid, "");
  EXPECT_EQ(bench.request->write.resource_version, "");
  EXPECT_EQ(bench.request->write.holder, "");
  EXPECT_NE(bench.request->write.duration_seconds, 1);
  EXPECT_FALSE(bench.request->write.generation);
}

TEST(S4Writes, ARenewalAnsweredWith201EndsTheTerm) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  sim::Answer answer = bench.Apply();
  answer->created = true;
  bench.Answer(answer);
  EXPECT_NE(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 1);
}

TEST(S6Terms, ThatEndedStayEndedAndLateAnswersAreDropped) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  const sim::Answer late = bench.Apply();
  bench.Pass(seconds(15));
  bench.Step(Tick{});  // the term expires with the renewal in flight
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 1);
  bench.Answer(late, milliseconds(1));
  EXPECT_NE(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Count(Transition::Kind::kAcquired), 1);
}

TEST(S6Terms, AnswersToOtherRequestsAreDropped) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  const sim::Answer answer = bench.Apply();
  const Duration before = bench.Ask().until_valid_until;
  bench.Step(RequestDone{bench.request->id + 5, answer});
  bench.Step(RequestDone{bench.request->id - 1, answer});
  EXPECT_EQ(bench.Ask().until_valid_until, before);
  EXPECT_TRUE(bench.request);
}

TEST(S7Generation, RisesWhenTheSameProcessReturns) {
  Bench bench;
  const std::int64_t first = bench.Acquire();
  bench.Pass(seconds(15));
  bench.Step(Tick{});
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_GT(bench.Ask().generation, first);
}

// As after a restore: neither the record nor its version shows it any more.
TEST(S7Generation, IsAboveWhatAnotherHolderWasSeenWith) {
  Bench bench;
  LeaseRecord held = Bench::HeldBy("other");
  held.generation = "5000";
  held.write = WriteMark("other", Entropy{1, 1});
  bench.server.CreateByHand(held);
  bench.Step(Tick{});
  bench.Deliver();
  bench.server.EditByHand([](LeaseRecord* r) { *r = Bench::Free(); });
  bench.Run(seconds(2));
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  EXPECT_EQ(bench.request->write.generation, 5001);
}

TEST(S7Generation, IsRestatedByEveryHolderWrite) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.server.EditByHand([](LeaseRecord* r) { r->generation.reset(); });
  bench.Run(seconds(2));
  bench.Deliver();  // 409
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  EXPECT_EQ(bench.request->write.generation, generation);
  EXPECT_EQ(bench.request->write.holder, "pod_uid_1");
  EXPECT_EQ(bench.request->write.duration_seconds, 15);
  bench.Deliver();
  EXPECT_EQ(bench.server.lease()->generation, std::to_string(generation));
}

TEST(S11Document, IsHandedBackWithEachWrite) {
  Bench bench;
  bench.Acquire();
  bench.server.EditByHand([](LeaseRecord* r) { r->document = "labels"; });
  bench.Run(seconds(2));
  bench.Deliver();
  bench.Deliver();
  bench.Run(seconds(2));
  bench.Deliver();
  EXPECT_EQ(bench.server.lease()->document, "labels");
}

TEST(S12Inputs, OfAnyKindAtAnyTimeAbortNothing) {
  LeaseRecord odd;
  odd.resource_version = "not a number";
  odd.duration_seconds = -7;
  odd.generation = std::string(100'000, '9');
  odd.holder = std::string(100'000, 'x');
  for (int i = 0; i < 12; ++i) {
    Bench bench;
    if (i % 2 == 1) bench.Acquire();
    if (i % 3 == 1) bench.Run(seconds(2));
    bench.Step(WatchEvent{static_cast<WatchEvent::Kind>(i % 7), odd, "x"});
    bench.Fresh(LeaseReply{false, odd});
    bench.Step(RequestDone{0, LeaseReply{true, odd}});
    if (bench.request) bench.Answer(LeaseReply{i % 4 == 0, odd});
    bench.Step(GiveUp{-1});
    bench.Step(RaiseFloor{-1});
    bench.Step(FinishWork{0});
    bench.Step(Drain{});
    EXPECT_GE(bench.core.NextDeadline(bench.now), Duration{0});
  }
}

TEST(S13Requests, OneIsInFlightUntilItIsAnswered) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  ASSERT_TRUE(bench.request);
  for (int i = 0; i < 30; ++i) {
    bench.Pass(milliseconds(300));
    EXPECT_FALSE(bench.Step(Tick{}).request);
  }
}

TEST(S9Absent, TakeSkipsTheWait) {
  AuthorityOptions options = Bench::Options();
  options.absent_lease = AbsentLease::kTake;
  Bench bench(options);
  bench.Step(Tick{});
  bench.Deliver();
  bench.Deliver();
  EXPECT_EQ(bench.InFlight(), RequestKind::kAcquire);
}

TEST(S9Waits, ForTheLongestDurationSeenUnderThatHolder) {
  Bench bench;
  LeaseRecord record = Bench::HeldBy("other");
  record.duration_seconds = 40;
  bench.server.CreateByHand(record);
  bench.Step(Tick{});
  bench.Deliver();
  bench.server.EditByHand([](LeaseRecord* r) { r->duration_seconds = 5; });
  bench.Run(seconds(15));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  const Instant changed = bench.now.instant;
  while (bench.InFlight() != RequestKind::kAcquire) {
    if (bench.request) bench.Deliver();
    bench.Run(seconds(2));
  }
  EXPECT_GE(bench.now.instant.boot - changed.boot, milliseconds(40'400));
}

}  // namespace
}  // namespace tenure
