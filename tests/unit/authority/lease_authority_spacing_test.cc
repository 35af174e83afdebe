// When exactly a thing may be tried again, and when exactly a thing is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = AuthorityBench;

constexpr Duration kTick = milliseconds(1);

// That the next request leaves after `wait`, and not before.
void ExpectNext(Bench& bench, RequestKind kind, Duration wait) {
  ASSERT_FALSE(bench.request);
  bench.Run(wait - kTick);
  EXPECT_FALSE(bench.request) << "too early";
  bench.Run(kTick);
  EXPECT_EQ(bench.InFlight(), kind);
}

void StandBy(Bench& bench, std::int32_t duration_seconds = 15) {
  LeaseRecord held = Bench::HeldBy("other");
  held.duration_seconds = duration_seconds;
  bench.server.CreateByHand(held);
  bench.Step(Tick{});
  bench.Deliver();
}

void StartAcquiring(Bench& bench) {
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
}

// A holder that reads what became of its renewal.
void StartSettling(Bench& bench) {
  bench.StartRenewing();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(1));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
}

void RunUntil(Bench& bench, RequestKind kind) {
  for (int i = 0; i < 100 && bench.InFlight() != kind; ++i) {
    if (bench.request) bench.Deliver();
    bench.Run(seconds(2));
  }
  ASSERT_EQ(bench.InFlight(), kind);
}

TEST(Spacing, OfAHoldersTriesIsAQuarterIntervalFromSending) {
  Bench writer;
  writer.StartRenewing();
  writer.FailWith(ErrorCode::kThrottled, milliseconds(300));
  ExpectNext(writer, RequestKind::kRenew, milliseconds(200));
  Bench reader;
  StartSettling(reader);
  reader.FailWith(ErrorCode::kThrottled, milliseconds(300));
  ExpectNext(reader, RequestKind::kRead, milliseconds(200));
}

TEST(Spacing, OfAStandbysLooksIsOneIntervalFromSending) {
  Bench bench;
  StandBy(bench);
  bench.Run(seconds(2));
  bench.FailWith(ErrorCode::kNotSent, milliseconds(300));
  ExpectNext(bench, RequestKind::kRead, milliseconds(1'700));
}

TEST(Spacing, IsWhatTheServerAskedForUpToOneInterval) {
  for (const auto& [asked, waited] :
       {std::pair{milliseconds(1), milliseconds(500)},
        std::pair{milliseconds(1'000), milliseconds(1'000)},
        std::pair{milliseconds(60'000), milliseconds(2'000)}}) {
    Bench writer;
    writer.StartRenewing();
    writer.FailWith(ErrorCode::kThrottled, milliseconds(10), asked);
    ExpectNext(writer, RequestKind::kRenew, waited);
    Bench reader;
    StartSettling(reader);
    reader.FailWith(ErrorCode::kThrottled, milliseconds(10), asked);
    ExpectNext(reader, RequestKind::kRead, waited);
  }
}

// Looks at once, but does not write again and again against another writer.
TEST(Spacing, OfALosersNextWriteIsOneIntervalFromSending) {
  Bench bench;
  StartAcquiring(bench);
  bench.server.EditByHand([](LeaseRecord* r) { r->document = "label"; });
  bench.Deliver();  // 409
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  ExpectNext(bench, RequestKind::kAcquire, seconds(2) - 2 * Bench::kTrip);
}

// However slow the 409 was: the winner's event is on its way only now.
TEST(Spacing, OfALoserWithAWatchCountsFromHearingOfIt) {
  Bench bench;
  StandBy(bench);
  bench.Step(WatchEvent{WatchEvent::Kind::kOpened, {}, ""});
  bench.server.EditByHand([](LeaseRecord* r) { *r = Bench::Free(); });
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, *bench.server.lease(), ""});
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.server.EditByHand([](LeaseRecord* r) { *r = Bench::HeldBy("winner"); });
  bench.Deliver(milliseconds(1'900));
  ExpectNext(bench, RequestKind::kRead, bench.core.Snapshot().renew_interval);
}

TEST(Spacing, OfAHoldersWritesIsOneIntervalAfterAReadWithoutALease) {
  Bench bench;
  StartSettling(bench);
  LeaseRecord page;
  page.unreadable = "expected a Lease object, found a page";
  bench.Answer(LeaseReply{false, page});
  ExpectNext(bench, RequestKind::kRenew, seconds(2));
}

TEST(Moments, ATermIsOverAtValidUntilExactly) {
  Bench bench;
  bench.Acquire();
  bench.Pass(bench.Ask().until_valid_until);
  bench.Step(Tick{});
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 1);
  Bench late;
  StartAcquiring(late);
  late.Deliver(ValidFor(Bench::Options().times));
  EXPECT_EQ(late.Count(Transition::Kind::kAcquired), 0);
}

// Otherwise the loop would not sleep until the clock had moved on.
TEST(Moments, ADeadlineThatIsReachedIsNotNamedAgain) {
  Bench holder;
  holder.StartRenewing();
  holder.Pass(holder.Ask().until_renew_by);
  holder.Step(Tick{});
  EXPECT_GT(holder.core.NextDeadline(holder.now), Duration{0});
  Bench idle;
  idle.Step(SetContention{false});
  idle.server.CreateByHand(Bench::Free());
  idle.Deliver();
  ASSERT_TRUE(idle.core.Takeable(idle.now));
  EXPECT_GT(idle.core.NextDeadline(idle.now), Duration{0});
}

// LeaseSet is to be asked as soon as the lease may be taken.
TEST(Moments, WhenALeaseIsFreeIsADeadlineAlsoWithoutContention) {
  Bench bench;
  bench.Step(SetContention{false});
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Deliver();
  EXPECT_LE(bench.core.NextDeadline(bench.now), seconds(2)) << "it polls, too";
  for (int i = 0; i < 2; ++i) {
    bench.Step(WatchEvent{WatchEvent::Kind::kBookmark, {}, ""});
    bench.Run(seconds(7));
  }
  bench.Step(WatchEvent{WatchEvent::Kind::kBookmark, {}, ""});
  EXPECT_EQ(bench.core.NextDeadline(bench.now), milliseconds(1'150));
}

TEST(Moments, ATryThatTookItsLimitMakesForPatience) {
  Bench bench;
  bench.StartRenewing();
  const Duration limit = bench.request->limit;
  bench.FailWith(ErrorCode::kOutcomeUnknown, limit);
  EXPECT_GT(bench.core.Snapshot().try_limit, limit);
}

TEST(Moments, OnePauseIsForgottenAfterAHundredPromptSteps) {
  Bench bench;
  StandBy(bench, 3600);
  const Duration margin = bench.core.Snapshot().margin;
  bench.Pass(seconds(5));
  bench.Step(Tick{});
  EXPECT_LT(bench.core.Snapshot().margin, margin);
  for (int i = 0; i < 120; ++i) {
    ASSERT_TRUE(bench.request);
    bench.Deliver();
    bench.Run(seconds(2));
  }
  EXPECT_EQ(bench.core.Snapshot().margin, margin);
}

TEST(Moments, AFreshReadAskedForAsAnAnswerCameMayBeTheOlder) {
  Bench bench;
  bench.Acquire();
  LeaseRecord old = *bench.server.lease();
  old.holder = "other";
  bench.Fresh(LeaseReply{false, old});
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
}

TEST(Moments, AFreshReadOfBeforeARenewalAgreesAndTeachesNothing) {
  Bench bench;
  bench.Acquire();
  const LeaseRecord old = *bench.server.lease();
  bench.Run(seconds(2));
  bench.Deliver();
  bench.Step(FreshRead{LeaseReply{false, old}, Instant{}});
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  EXPECT_EQ(bench.request->write.resource_version,
            bench.server.lease()->resource_version);
}

TEST(Moments, TheLastRenewalIsWhenItWasSent) {
  Bench bench;
  StartAcquiring(bench);
  WallTime sent = bench.now.wall;
  bench.Deliver(seconds(1));
  EXPECT_EQ(bench.core.Snapshot().last_renewal, sent);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  sent = bench.now.wall;
  bench.Deliver(seconds(1));
  EXPECT_EQ(bench.core.Snapshot().last_renewal, sent);
}

TEST(S9Waits, AreNamedOnlyAboveTheExpectedMaximum) {
  const auto named = [](const AuthorityOptions& options, std::int32_t d) {
    Bench bench(options);
    StandBy(bench, d);
    return !bench.core.Snapshot().refusal.empty();
  };
  AuthorityOptions options = Bench::Options();
  options.max_foreign_duration = seconds(600);
  EXPECT_FALSE(named(options, 600));
  EXPECT_TRUE(named(options, 601));
  options.times = *TimesForRideOut(std::chrono::minutes(20), seconds(4),
                                   seconds(2), 10'000);
  ASSERT_GT(options.times.lease_duration_seconds, 1'000);
  EXPECT_FALSE(named(options, 1'000)) << "our own is longer";
}

TEST(S1Authority, OfAStandbyIsCertainWhileTheServerRefuses) {
  Bench bench;
  StandBy(bench, 500);
  for (int i = 0; i < 12; ++i) {
    bench.Run(seconds(2));
    bench.FailWith(ErrorCode::kForbidden);
  }
  EXPECT_EQ(bench.Told(), Certainty::kStandby) << "refusing is a sign of life";
  EXPECT_EQ(bench.core.Snapshot().refusal, "as told");
  bench.Run(seconds(2));
  bench.Deliver();
  EXPECT_EQ(bench.core.Snapshot().refusal, "") << "it is over with any answer";
}

TEST(S5Silence, IsNamedUntilTheServerAnswers) {
  Bench bench;
  StandBy(bench, 500);
  bench.Run(seconds(2));
  bench.FailWith(ErrorCode::kNotSent);
  EXPECT_EQ(bench.core.Snapshot().server_error, "as told");
  bench.Run(seconds(2));
  bench.FailWith(ErrorCode::kForbidden);
  EXPECT_EQ(bench.core.Snapshot().server_error, "") << "a refusal is an answer";
}

// What is known of before is too old to base a write on.
TEST(S5Silence, IsReadBeforeAnythingIsAcquired) {
  Bench bench;
  bench.server.CreateByHand(Bench::HeldBy("other"));
  bench.Step(Tick{});
  bench.Deliver();
  bench.Pass(seconds(20));  // its claim is over, and nothing stepped
  bench.Step(Tick{});
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  EXPECT_EQ(bench.InFlight(), RequestKind::kAcquire);
}

// Nothing else notices a pause that was hidden from the clocks it counts by.
TEST(Moments, InATermTheWallClockIsLookedAtEverySecond) {
  AuthorityOptions options = Bench::Options();
  options.times = *TimesForPreset("patient");
  Bench bench(options);
  bench.Acquire();
  ASSERT_GT(bench.core.Snapshot().renew_interval, seconds(10));
  EXPECT_LE(bench.core.NextDeadline(bench.now), seconds(1));
}

TEST(S10Work, OfAStandbyIsRefusedAsNotHeld) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(RaiseFloor{generation});  // ends the term
  const Output output = bench.Step(StartWork{generation});
  ASSERT_TRUE(output.reply && output.reply->error);
  EXPECT_EQ(output.reply->error->code, ErrorCode::kConflict);
}

TEST(Refusals, AreSaidAgainIfThereWasASuccessBetween) {
  Bench bench;
  const auto alter = [&bench](bool on) {
    bench.server.SetWebhook([on](LeaseRecord* r) {
      if (on) r->duration_seconds = 99;
    });
  };
  const auto refused = [&bench] {
    return bench.Count(Transition::Kind::kRefused);
  };
  StartAcquiring(bench);
  alter(true);
  bench.Deliver();
  EXPECT_EQ(refused(), 1);
  alter(false);
  RunUntil(bench, RequestKind::kAcquire);
  bench.Deliver();
  ASSERT_EQ(bench.Told(), Certainty::kHeld);
  for (int said = 2; said < 4; ++said) {
    RunUntil(bench, RequestKind::kRenew);
    alter(true);
    bench.Deliver();
    EXPECT_EQ(refused(), said);
    alter(false);
    RunUntil(bench, RequestKind::kRenew);
    bench.Deliver();
  }
}

}  // namespace
}  // namespace tenure
