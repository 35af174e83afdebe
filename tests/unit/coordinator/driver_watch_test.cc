// When the watch is open, from where, and what a flood of it may do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/driver_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = DriverBench;
using Kind = WatchEvent::Kind;

void Standby(Bench& bench) {
  bench.Pump();
  bench.AnswerRead(0, Bench::HeldBy("other", "70"));
}

TEST(DriverWatch, OpensFromWhatWasReadAndClosesInATerm) {
  Bench bench;
  EXPECT_TRUE(bench.watches[0].started_from.empty());
  Standby(bench);
  EXPECT_THAT(bench.watches[0].started_from, testing::ElementsAre("70"));
  bench.watches[0].sink({Kind::kOpened, {}, ""});
  bench.watches[0].sink({Kind::kChanged, Bench::Free("71"), ""});
  bench.Pump();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  bench.AnswerWrite(0);
  EXPECT_FALSE(bench.watches[0].open());
}

TEST(DriverWatch, AnEventActsAtOnce) {
  Bench bench;
  Standby(bench);
  const int before = bench.wakes;
  bench.watches[0].sink({Kind::kChanged, Bench::Free("71"), ""});
  EXPECT_GT(bench.wakes, before);
}

// That is the stream's own part, with its back-off.
TEST(DriverWatch, OpensNoneAgainThatOpenedOrBroke) {
  Bench bench;
  bench.Pump();
  bench.AnswerRead(0, Bench::HeldBy("other"));
  ASSERT_EQ(bench.watches[0].started_from.size(), 1U);
  for (const auto kind :
       {WatchEvent::Kind::kOpened, WatchEvent::Kind::kClosed}) {
    bench.watches[0].sink(WatchEvent{kind, {}, ""});
    bench.Pump();
    EXPECT_EQ(bench.watches[0].started_from.size(), 1U);
    EXPECT_TRUE(bench.watches[0].open());
  }
}

// The record's own version may be gone, too: watching from it again would be
// told so again, for ever.
TEST(DriverWatch, AfterHistoryWasGoneStartsFromNowAndNotInAStorm) {
  Bench bench;
  Standby(bench);
  for (int i = 0; i < 100; ++i) {
    if (bench.watches[0].open())
      bench.watches[0].sink({Kind::kExpired, {}, ""});
    bench.Pump();
    if (bench.stores[0].in_flight) {
      bench.AnswerRead(0, Bench::HeldBy("other", "70"));
    }
    bench.Pass(milliseconds(45));
  }
  const std::vector<std::string>& from = bench.watches[0].started_from;
  ASSERT_GE(from.size(), 3U);
  EXPECT_LE(from.size(), 7U);  // in 5 seconds
  for (std::size_t i = 1; i < from.size(); ++i) EXPECT_EQ(from[i], "");
}

TEST(DriverWatch, WhoseHistoryWasGoneIsDueAgainWithinASecond) {
  Bench bench;
  Standby(bench);
  bench.watches[0].sink({Kind::kExpired, {}, ""});
  bench.Pump();
  if (bench.stores[0].in_flight) {
    bench.AnswerRead(0, Bench::HeldBy("other", "70"));
  }
  EXPECT_LE(bench.Pump(), seconds(1));
}

TEST(DriverWatch, WhoseHistoryWasGoneStartsAtOnceAfterASuspension) {
  Bench bench;
  Standby(bench);
  bench.watches[0].sink({Kind::kExpired, {}, ""});
  bench.now.instant.boot += seconds(1);
  bench.Pump();
  EXPECT_EQ(bench.watches[0].started_from.size(), 2U);
}

TEST(DriverWatch, DeniedIsNotAskedAgain) {
  Bench bench;
  Standby(bench);
  bench.watches[0].sink({Kind::kDenied, {}, "no watch verb"});
  bench.Pump();
  for (int i = 0; i < 20; ++i) {
    bench.Pass(seconds(1));
    bench.Pump();
    if (bench.stores[0].in_flight) {
      bench.AnswerRead(0, Bench::HeldBy("other", "70"));
    }
  }
  EXPECT_EQ(bench.watches[0].started_from.size(), 1U);
}

TEST(DriverWatch, AFloodIsBoundedAndCannotHideItsEnd) {
  Bench bench;
  Standby(bench);
  const FakeWatch::Sink sink = bench.watches[0].sink;
  sink({Kind::kOpened, {}, ""});
  for (int i = 0; i < 100'000; ++i) {
    sink({Kind::kChanged, Bench::HeldBy("other", std::to_string(100 + i)), ""});
  }
  sink({Kind::kClosed, {}, ""});
  const std::uint64_t before = bench.entropy;  // drawn once a step
  bench.Pump();
  EXPECT_EQ(bench.entropy - before, 256U);
  // The newest state got through, and so did the end: it polls.
  EXPECT_EQ(bench.board.Read(0)->holder, "other");
  bench.Pass(seconds(3));
  bench.Pump();
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
}

TEST(DriverWatch, WithoutOneItPolls) {
  Bench bench({"a"}, LeaseSetPolicy::kAll, false);
  Standby(bench);
  int reads = 0;
  for (int i = 0; i < 100; ++i) {
    bench.Pass(milliseconds(100));
    bench.Pump();
    if (bench.stores[0].in_flight) {
      ++reads;
      bench.AnswerRead(0, Bench::HeldBy("other", "70"));
    }
  }
  EXPECT_GE(reads, 4);  // every 2 s
  EXPECT_LE(reads, 6);
}

}  // namespace
}  // namespace tenure
