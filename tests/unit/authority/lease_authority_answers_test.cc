// What answers, reads and events may do that come at odd times, or say odd
// things: a server is believed in what ends authority, never in what grants it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sidecar/authority/generation.h"
#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = AuthorityBench;
using Kind = WatchEvent::Kind;

LeaseRecord NoLease() {
  LeaseRecord record;
  record.unreadable = "expected a Lease object, found a page";
  return record;
}

sim::Answer Error(ErrorCode code) {
  return std::unexpected(StoreError{code, "as told", Duration{0}});
}

std::optional<ErrorCode> ReplyCode(const Output& output) {
  EXPECT_TRUE(output.reply);
  if (!output.reply || !output.reply->error) return std::nullopt;
  return output.reply->error->code;
}

// A holder whose release was applied, or was not, and whose answer was lost.
void LoseARelease(Bench& bench, bool applied) {
  const std::int64_t generation = bench.Acquire();
  bench.Step(GiveUp{generation});
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  if (applied) bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
}

TEST(S4Writes, ARenewalAnsweredWith404EndsTheTerm) {
  Bench bench;
  bench.StartRenewing();
  bench.FailWith(ErrorCode::kNotFound);
  EXPECT_NE(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 1);
}

TEST(S4Writes, AnAcquisitionAnsweredWith201GivesNothing) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  sim::Answer answer = bench.Apply();
  answer->created = true;
  bench.Answer(answer);
  EXPECT_EQ(bench.Told(), Certainty::kStandby);
  bench.Run(seconds(10));  // nor is it tried again at once
  EXPECT_NE(bench.InFlight(), RequestKind::kAcquire);
}

TEST(S4Writes, ACreateThatLostTheRaceLooksAgain) {
  for (const ErrorCode code : {ErrorCode::kConflict, ErrorCode::kRefused}) {
    Bench bench;
    bench.Step(Tick{});
    bench.Deliver();  // 404
    bench.Run(seconds(20));
    ASSERT_EQ(bench.InFlight(), RequestKind::kCreate);
    bench.FailWith(code);
    EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
    EXPECT_EQ(bench.core.Snapshot().refusal, "");
  }
}

TEST(Refusals, AMissingNamespaceIsSaid) {
  Bench bench;
  bench.Step(Tick{});
  bench.Deliver();  // 404
  bench.Run(seconds(20));
  ASSERT_EQ(bench.InFlight(), RequestKind::kCreate);
  bench.FailWith(ErrorCode::kNotFound);
  EXPECT_EQ(bench.core.Snapshot().refusal, "as told");
}

TEST(Refusals, ARecordThatCannotBeReadIsWaitedForAndNotOverwritten) {
  Bench bench;
  bench.Step(Tick{});
  LeaseRecord record = NoLease();
  record.uid = "uid";
  record.resource_version = "5";
  const LeaseReply reply{false, record};
  bench.Answer(reply);
  for (int reads = 0; reads < 30; ++reads) {
    bench.Run(seconds(2));
    if (!bench.request) continue;
    ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
    bench.Answer(reply);
  }
  EXPECT_THAT(bench.core.Snapshot().refusal,
              testing::HasSubstr("correct or delete it"));
}

TEST(Transitions, AreCountedUpToTheirLargestNumber) {
  Bench bench;
  LeaseRecord record = Bench::Free();
  record.transitions = std::numeric_limits<std::int32_t>::max();
  bench.server.CreateByHand(record);
  bench.Step(Tick{});
  bench.Deliver();
  bench.Deliver();
  EXPECT_EQ(bench.server.lease()->transitions, record.transitions);
}

TEST(S3Reads, WithoutAnnotationsLeaveTheTerm) {
  // A client-go elector that took nothing but dropped what it does not know.
  Bench bench;
  bench.Acquire();
  bench.server.EditByHand([](LeaseRecord* r) {
    r->generation.reset();
    r->write.clear();
  });
  bench.Pass(seconds(1));
  bench.Fresh(bench.server.Get());
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

TEST(S3Acknowledgement, OfARecordThatCannotBeReadEndsNothing) {
  Bench bench;
  bench.StartRenewing();
  bench.Answer(LeaseReply{false, NoLease()});
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Count(Transition::Kind::kRefused), 2);  // unreadable, altered
}

TEST(S3FreshRead, ThatFailedSaysWhyAndChangesNothing) {
  Bench bench;
  bench.Acquire();
  bench.Pass(seconds(1));
  EXPECT_EQ(ReplyCode(bench.Fresh(Error(ErrorCode::kForbidden))),
            ErrorCode::kForbidden);
  EXPECT_EQ(ReplyCode(bench.Fresh(Error(ErrorCode::kOutcomeUnknown))),
            ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

TEST(S3FreshRead, WithoutALeaseInItSaysSoAndChangesNothing) {
  Bench bench;
  bench.Acquire();
  bench.Pass(seconds(1));
  EXPECT_EQ(ReplyCode(bench.Fresh(LeaseReply{false, NoLease()})),
            ErrorCode::kUnavailable);
  LeaseRecord nameless = *bench.server.lease();
  nameless.resource_version.clear();
  const Output output = bench.Fresh(LeaseReply{false, nameless});
  EXPECT_EQ(ReplyCode(output), ErrorCode::kUnavailable);
  EXPECT_THAT(output.reply->error->message,
              testing::HasSubstr("no resourceVersion"));
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

TEST(S3FreshRead, OfBeforeOurLastWriteIsReadAgainIfItNamesAnotherHolder) {
  Bench bench;
  bench.Acquire();
  LeaseRecord old = *bench.server.lease();
  old.holder = "other";
  bench.Step(FreshRead{LeaseReply{false, old}, Instant{}});
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
}

TEST(S10Release, IsOverWhenTheLeaseIsGone) {
  Bench bench;
  LoseARelease(bench, false);
  bench.server.Delete();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  bench.Run(seconds(60));
  EXPECT_EQ(bench.InFlight(), RequestKind::kCreate);
  EXPECT_EQ(bench.Count(Transition::Kind::kReleased), 0);
}

TEST(S10Release, IsOverWhenAnEventOrAFreshReadShowsIt) {
  Bench watcher;
  LoseARelease(watcher, true);
  watcher.Step(WatchEvent{Kind::kChanged, *watcher.server.lease(), ""});
  EXPECT_EQ(watcher.Count(Transition::Kind::kReleased), 1);
  EXPECT_FALSE(watcher.request) << "nothing is left to settle";
  Bench asker;
  LoseARelease(asker, true);
  asker.Pass(seconds(1));
  asker.Fresh(asker.server.Get());
  EXPECT_EQ(asker.Count(Transition::Kind::kReleased), 1);
}

TEST(S10Release, GoesOnWhenAnEventShowsOnlyANewLabel) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(GiveUp{generation});
  bench.server.EditByHand([](LeaseRecord* r) { r->document = "label"; });
  bench.Step(WatchEvent{Kind::kChanged, *bench.server.lease(), ""});
  bench.Deliver();  // 409
  bench.Deliver();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  bench.Deliver();
  EXPECT_EQ(bench.Count(Transition::Kind::kReleased), 1);
}

TEST(S10Release, AnsweredWithoutALeaseIsSentAgain) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(GiveUp{generation});
  bench.Answer(LeaseReply{false, NoLease()});
  bench.Run(seconds(2));
  EXPECT_EQ(bench.InFlight(), RequestKind::kRelease);
}

// What a read shows after a release whose outcome is unknown, and whether the
// release is over then; it is ours to finish only while the record is.
struct AfterRelease {
  const char* name;
  void (*edit)(LeaseRecord*);
  bool over;
  int released;
};

class S10AfterRelease : public testing::TestWithParam<AfterRelease> {};

TEST_P(S10AfterRelease, ARecordThatIsNotOursAnyMoreEndsIt) {
  Bench bench;
  LoseARelease(bench, false);
  bench.server.EditByHand(GetParam().edit);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  bench.Run(seconds(1));
  EXPECT_EQ(bench.InFlight() != RequestKind::kRelease, GetParam().over);
  EXPECT_EQ(bench.Count(Transition::Kind::kReleased), GetParam().released);
}

INSTANTIATE_TEST_SUITE_P(
    Showing, S10AfterRelease,
    testing::Values(
        AfterRelease{"OursAsItWas", [](LeaseRecord*) {}, false, 0},
        AfterRelease{"OursWithoutAnnotation",
                     [](LeaseRecord* r) { r->generation.reset(); }, false, 0},
        AfterRelease{"OursWithAHigherGeneration",
                     [](LeaseRecord* r) { r->generation = "4096"; }, true, 0},
        AfterRelease{"AnotherHolder",
                     [](LeaseRecord* r) { r->holder = "other"; }, true, 0},
        // Somebody else's release form is not our acknowledgement.
        AfterRelease{"ReleasedByHand",
                     [](LeaseRecord* r) {
                       r->holder.clear();
                       r->duration_seconds = 1;
                       r->write = "other:1";
                     },
                     true, 0}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(S10AfterRelease, ANewLeaseOfThatNameIsNotOurs) {
  Bench bench;
  LoseARelease(bench, false);
  LeaseRecord record = *bench.server.lease();
  bench.server.Delete();
  bench.server.CreateByHand(record);
  bench.Run(seconds(2));
  bench.Deliver();
  bench.Run(seconds(1));
  EXPECT_NE(bench.InFlight(), RequestKind::kRelease);
}

TEST(Watch, ExpiredHistoryIsReadAgainByAStandbyOnly) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
  EXPECT_EQ(bench.core.WatchFrom(), bench.server.lease()->resource_version);
  bench.Step(WatchEvent{Kind::kOpened, {}, ""});
  bench.Step(WatchEvent{Kind::kExpired, {}, ""});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
  Bench holder;
  holder.Acquire();
  holder.Step(WatchEvent{Kind::kExpired, {}, ""});
  EXPECT_FALSE(holder.request);
}

TEST(S9Waits, OurOwnNameIsNoReasonToSpeakOfALongDuration) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(RaiseFloor{generation});  // ends the term
  bench.server.EditByHand([](LeaseRecord* r) { r->duration_seconds = 3600; });
  bench.Step(WatchEvent{Kind::kChanged, *bench.server.lease(), ""});
  EXPECT_EQ(bench.core.Snapshot().refusal, "");
}

// Remembered, it would leave no way out but a restart.
TEST(S7Generation, AtTheVeryTopIsForgottenWithItsRecord) {
  Bench bench;
  LeaseRecord poisoned = Bench::Free();
  poisoned.generation = std::to_string(kMaxGeneration);
  poisoned.write = "of another process";
  bench.server.CreateByHand(poisoned);
  bench.Step(Tick{});
  bench.Deliver();
  EXPECT_NE(bench.core.Snapshot().refusal, "");
  bench.server.EditByHand([](LeaseRecord* r) { r->generation = "5"; });
  bench.Step(WatchEvent{Kind::kChanged, *bench.server.lease(), ""});
  bench.Run(seconds(3));
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  EXPECT_LT(*bench.request->write.generation, 200);  // a few above revision 100
}

TEST(S7Generation, OfOurOwnAtTheVeryTopIsNotTakenAgain) {
  AuthorityOptions options = Bench::Options();
  options.min_generation = kMaxGeneration - 1;
  Bench bench(options);
  ASSERT_EQ(bench.Acquire(), kMaxGeneration);
  bench.server.EditByHand([](LeaseRecord* r) { *r = Bench::Free(); });
  for (int i = 0; i < 10; ++i) {
    bench.Run(seconds(2));
    ASSERT_NE(bench.InFlight(), RequestKind::kAcquire);
    if (bench.request) bench.Deliver();
  }
  EXPECT_NE(bench.core.Snapshot().refusal, "");
}

TEST(Time, AHiddenPauseWhileARenewalWasUnderWayIsDoubt) {
  Bench bench;
  bench.StartRenewing();
  const sim::Answer answer = bench.Apply();
  bench.now.wall.since_epoch += seconds(3);
  bench.Answer(answer);
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  EXPECT_STREQ(bench.Ask().reason, "clock");
}

TEST(Time, APauseHiddenFromTheRenewalThatWouldClearTheDoubtKeepsIt) {
  Bench bench;
  bench.Acquire();
  bench.now.wall.since_epoch += seconds(3);
  bench.Step(Tick{});
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  const sim::Answer answer = bench.Apply();
  bench.now.wall.since_epoch += seconds(3);
  bench.Answer(answer);
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

}  // namespace
}  // namespace tenure
