// What is remembered of our own writes, what settles them, and how often
// anything is tried again (S3, S5, S13).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sidecar/authority/term.h"
#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = AuthorityBench;

AuthorityOptions RidesOut(Duration outage) {
  AuthorityOptions options = Bench::Options();
  options.times = *TimesForRideOut(outage, seconds(4), seconds(2), 10'000);
  return options;
}

// What a proxy answers in the API server's place: 200, and no Lease.
LeaseRecord NoLease() {
  LeaseRecord record;
  record.unreadable = "expected a Lease object, found a page";
  return record;
}

// An acquisition that was applied, and whose answer was lost.
void LoseAnAcquisition(Bench& bench) {
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
}

// How many requests leave within `by` when each is answered as `answer` says.
template <typename Answerer>
int RequestsWithin(Bench& bench, Duration by, Answerer answer) {
  const Instant start = bench.now.instant;
  int count = 0;
  while (LongestElapsed(start, bench.now.instant) < by && count < 10'000) {
    if (bench.request) {
      ++count;
      answer();
    } else {
      bench.Run(by - LongestElapsed(start, bench.now.instant));
    }
  }
  return count;
}

class S3OwnMarks : public testing::TestWithParam<ErrorCode> {};

// However many tries an outage takes, the write that landed before it is ours.
TEST_P(S3OwnMarks, OutlastEveryTryThatWasNotApplied) {
  Bench bench(RidesOut(std::chrono::minutes(10)));
  bench.Acquire();
  for (int tries = 0; tries < 200;) {
    bench.Run(seconds(3));
    if (bench.InFlight() == RequestKind::kRead) {
      bench.Deliver();
      continue;
    }
    ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
    bench.FailWith(GetParam(), milliseconds(1));
    ++tries;
  }
  bench.server.EditByHand([](LeaseRecord* r) { r->document = "label"; });
  while (!bench.request) bench.Run(seconds(3));
  bench.Deliver();  // 409
  bench.Run(seconds(1));
  if (bench.request) bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Outcomes, S3OwnMarks,
    testing::Values(ErrorCode::kNotSent, ErrorCode::kThrottled,
                    ErrorCode::kForbidden, ErrorCode::kOutcomeUnknown),
    [](const auto& code) { return std::string(ErrorCodeName(code.param)); });

// A webhook alters each renewal, and one tried before may still land: it is
// told from a copy's for as long as the term lasts.
TEST(S3Marks, OfAWriteThatMayStillLandOutlastsLaterOnes) {
  Bench bench(RidesOut(std::chrono::minutes(10)));
  bench.Acquire();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  LeaseRecord late = *bench.server.lease();
  late.write = bench.request->write.write;
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.server.SetWebhook([](LeaseRecord* r) { r->duration_seconds = 99; });
  for (std::size_t writes = 0; writes < kMaxOwnMarks + 2;) {
    bench.Run(seconds(30));
    ASSERT_TRUE(bench.request);
    if (bench.InFlight() == RequestKind::kRenew) ++writes;
    bench.Deliver();
  }
  late.resource_version = "100000";
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, late, ""});
  EXPECT_EQ(bench.Count(Transition::Kind::kLost), 0);
}

TEST(S5Settling, AnAnswerWithoutALeaseSettlesNoAcquisition) {
  Bench bench;
  LoseAnAcquisition(bench);
  const auto answer_nothing = [&bench] {
    ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
    bench.Answer(LeaseReply{false, NoLease()});
    EXPECT_EQ(bench.Told(), Certainty::kUncertain);
    EXPECT_TRUE(bench.core.Engaged());
  };
  const int reads = RequestsWithin(bench, seconds(12), answer_nothing);
  EXPECT_GE(reads, 3);
  EXPECT_LE(reads, 8);
  EXPECT_EQ(bench.Count(Transition::Kind::kRefused), 1);
  bench.Run(seconds(2));
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kUncertain) << "sent 12 s ago";
  EXPECT_TRUE(bench.core.Snapshot().term);
}

TEST(S5Settling, ADrainWaitsForALeaseThatCanBeRead) {
  Bench bench;
  LoseAnAcquisition(bench);
  bench.Step(Drain{});
  bench.Run(seconds(3));
  bench.Answer(LeaseReply{false, NoLease()});
  EXPECT_FALSE(bench.core.Snapshot().finished);
  bench.Run(seconds(3));
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  bench.Deliver();
  EXPECT_TRUE(bench.core.Snapshot().finished);
}

TEST(S5Settling, AnEventThatCannotBeReadSettlesNothing) {
  Bench bench;
  LoseAnAcquisition(bench);
  bench.server.EditByHand(
      [](LeaseRecord* r) { r->unreadable = "a bad field"; });
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, *bench.server.lease(), ""});
  EXPECT_EQ(bench.Told(), Certainty::kUncertain);
  bench.server.EditByHand([](LeaseRecord* r) { r->unreadable.clear(); });
  bench.Run(seconds(3));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
}

TEST(S5Settling, ARenewalIsNotForgottenForAnAnswerWithoutALease) {
  Bench bench;
  bench.Acquire();
  bench.Run(seconds(2));
  bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Answer(LeaseReply{false, NoLease()});
  bench.Run(seconds(3));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.Deliver();  // 409: the one before landed
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  const Duration before = bench.Ask().until_renew_by;
  bench.Deliver();
  EXPECT_GT(bench.Ask().until_renew_by, before);
}

// S9: every D seen under that holder, whatever was answered in between.
TEST(S9Waits, ForALongDSeenBeforeAnAnswerWithoutALease) {
  Bench bench;
  LeaseRecord held = Bench::HeldBy("other");
  held.duration_seconds = 60;
  bench.server.CreateByHand(held);
  bench.Step(Tick{});
  bench.Deliver();
  bench.server.EditByHand([](LeaseRecord* r) { r->duration_seconds = 15; });
  bench.Run(seconds(3));
  bench.Answer(LeaseReply{false, NoLease()});
  const auto acquires = [&bench] {
    EXPECT_NE(bench.InFlight(), RequestKind::kAcquire);
    bench.Deliver();
  };
  RequestsWithin(bench, seconds(60), acquires);
}

TEST(Pacing, AReleaseThatDoesNotTakeIsNotSentInALoop) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.server.SetWebhook([](LeaseRecord* r) {
    r->holder = "pod_uid_1";
    r->duration_seconds = 15;
  });
  bench.Step(GiveUp{generation});
  const int tries =
      RequestsWithin(bench, seconds(10), [&bench] { bench.Deliver(); });
  EXPECT_GE(tries, 3);
  EXPECT_LE(tries, 25);
  EXPECT_EQ(bench.Count(Transition::Kind::kRefused), 1);
}

TEST(Pacing, ALeaseThatVanishesAgainAndAgainIsNotCreatedInALoop) {
  AuthorityOptions options = Bench::Options();
  options.absent_lease = AbsentLease::kTake;
  Bench bench(options);
  bench.Step(Tick{});
  int creates = 0;
  const int requests = RequestsWithin(bench, seconds(10), [&] {
    const bool create = bench.InFlight() == RequestKind::kCreate;
    creates += create ? 1 : 0;
    bench.Deliver();
    if (create) bench.server.Delete();
  });
  EXPECT_GE(creates, 3);
  EXPECT_LE(creates, 8);
  EXPECT_LE(requests, 30);
}

TEST(Watch, DeniedIsAskedForAgainAndSaidOnce) {
  Bench bench;
  LeaseRecord held = Bench::HeldBy("other");
  held.duration_seconds = 500;
  bench.server.CreateByHand(held);
  bench.Step(Tick{});
  bench.Deliver();
  const WatchEvent denied{WatchEvent::Kind::kDenied, {}, "no watch verb"};
  for (int i = 0; i < 3; ++i) {
    bench.Step(denied);
    EXPECT_FALSE(bench.core.WantsWatch());
    RequestsWithin(bench, seconds(90), [&bench] { bench.Deliver(); });
    EXPECT_TRUE(bench.core.WantsWatch()) << i;
  }
  EXPECT_EQ(bench.Count(Transition::Kind::kWatchDenied), 1);
  // The Role was mended, and taken away again.
  bench.Step(WatchEvent{WatchEvent::Kind::kOpened, {}, ""});
  bench.Step(denied);
  EXPECT_EQ(bench.Count(Transition::Kind::kWatchDenied), 2);
}

// The way out is named for as long as there is something to wait for.
TEST(S9Waits, ForALongDThatIsGoneAndSaysSo) {
  Bench bench;
  LeaseRecord held = Bench::HeldBy("other");
  held.duration_seconds = 86'400;
  bench.server.CreateByHand(held);
  bench.Step(Tick{});
  bench.Deliver();
  const auto named = [&bench] {
    EXPECT_THAT(bench.core.Snapshot().refusal,
                testing::AllOf(testing::HasSubstr("86400s"),
                               testing::HasSubstr("by hand")));
  };
  named();
  bench.server.EditByHand([](LeaseRecord* r) { r->duration_seconds = 15; });
  bench.Step(WatchEvent{WatchEvent::Kind::kChanged, *bench.server.lease(), ""});
  named();
  bench.server.Delete();
  RequestsWithin(bench, seconds(60), [&bench] { bench.Deliver(); });
  ASSERT_TRUE(bench.server.lease()) << "created anew";
  named();
  EXPECT_EQ(bench.Count(Transition::Kind::kRefused), 1) << "said once";
  bench.server.EditByHand([](LeaseRecord* r) { r->duration_seconds = 1; });
  RequestsWithin(bench, seconds(30), [&bench] { bench.Deliver(); });
  EXPECT_EQ(bench.Told(), Certainty::kHeld);
  EXPECT_EQ(bench.core.Snapshot().refusal, "");
}

TEST(S9Waits, OurOwnLongDIsNoReason) {
  Bench bench(RidesOut(std::chrono::minutes(20)));
  bench.Acquire();
  EXPECT_EQ(bench.Count(Transition::Kind::kRefused), 0);
}

}  // namespace
}  // namespace tenure
