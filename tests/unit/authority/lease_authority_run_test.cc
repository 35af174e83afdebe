// A completed run is recorded by a renewal: a compare-and-swap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sidecar/authority/work_registry.h"
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

TEST(Runs, AreRecordedAtOnceAndStay) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  EXPECT_EQ(ReplyCode(bench.Step(RecordRun{generation, "bill-20"})),
            std::nullopt);
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  EXPECT_EQ(bench.core.Snapshot().last_run, LastRun{});
  bench.Deliver();
  EXPECT_EQ(bench.core.Snapshot().last_run, (LastRun{"bill-20", "bill-20"}));
  EXPECT_EQ(bench.Ask().generation, generation);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  EXPECT_FALSE(bench.request->write.last_run);
  bench.Deliver();
  bench.Step(GiveUp{generation});
  bench.Deliver();
  EXPECT_EQ(bench.server.lease()->last_run.id, "bill-20");
}

TEST(Runs, WaitForTheRequestInFlight) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.Step(RecordRun{generation, "bill-20"});
  bench.Deliver();
  EXPECT_EQ(bench.core.Snapshot().last_run, LastRun{});
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.Deliver();
  EXPECT_EQ(bench.core.Snapshot().last_run.id, "bill-20");
}

TEST(Runs, AreWrittenAgainUntilTheRecordShowsThem) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(RecordRun{generation, "bill-20"});
  bench.FailWith(ErrorCode::kThrottled);
  bench.Run(seconds(4));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  EXPECT_EQ(bench.request->write.last_run, (LastRun{"bill-20", "bill-20"}));
  bench.Deliver();
  EXPECT_EQ(bench.core.Snapshot().last_run.id, "bill-20");
}

TEST(Runs, OfALostAnswerAreSettledByReading) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(RecordRun{generation, "bill-20"});
  bench.Apply();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(4));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Deliver();
  EXPECT_EQ(bench.core.Snapshot().last_run.id, "bill-20");
  bench.Run(seconds(4));
  EXPECT_FALSE(bench.request->write.last_run);
}

TEST(Runs, AreRefusedOutsideTheirTermAndIfNotNewer) {
  Bench bench;
  EXPECT_EQ(ReplyCode(bench.Step(RecordRun{5, "bill-20"})),
            ErrorCode::kConflict);
  const std::int64_t generation = bench.Acquire();
  EXPECT_EQ(ReplyCode(bench.Step(RecordRun{generation - 1, "bill-20"})),
            ErrorCode::kConflict);
  EXPECT_EQ(ReplyCode(bench.Step(RecordRun{generation, "a b"})),
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(bench.request);
  bench.Step(RecordRun{generation, "bill-20"});
  EXPECT_EQ(ReplyCode(bench.Step(RecordRun{generation, "bill-19"})),
            ErrorCode::kConflict);
  EXPECT_EQ(ReplyCode(bench.Step(RecordRun{generation, "bill-20"})),
            std::nullopt);
  bench.Deliver();
  EXPECT_EQ(ReplyCode(bench.Step(RecordRun{generation, "bill-20"})),
            std::nullopt);
  EXPECT_FALSE(bench.request);
}

TEST(Runs, OfALostTermAreNotWrittenInTheNext) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  bench.Step(RecordRun{generation, "bill-20"});
  bench.FailWith(ErrorCode::kNotSent);
  bench.Step(RaiseFloor{generation});
  while (bench.Told() != Certainty::kHeld) {
    if (bench.request) {
      EXPECT_FALSE(bench.request->write.last_run);
      bench.Deliver();
    }
    bench.Run(seconds(1));
  }
  EXPECT_EQ(bench.core.Snapshot().last_run, LastRun{});
}

TEST(Runs, OfOneIdTheSecondWaitsForTheFirst) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  const WorkRun first{"bill-20", "a"};
  const WorkRun second{"bill-20", "b"};
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation, first})), std::nullopt);
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation, second})),
            ErrorCode::kConflict);
  EXPECT_EQ(bench.core.Snapshot().work_running, 1);
  EXPECT_EQ(bench.core.Snapshot().runs_under_way,
            std::vector<std::string>{"bill-20"});
  EXPECT_EQ(ReplyCode(bench.Step(FinishWork{generation, first})), std::nullopt);
  EXPECT_EQ(ReplyCode(bench.Step(StartWork{generation, second})), std::nullopt);
}

TEST(Runs, UnderWayAreBoundedAndTheOneTooManyChangesNothing) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  const auto start = [&](std::size_t n) {
    return ReplyCode(bench.Step(
        StartWork{generation, WorkRun{"bill-" + std::to_string(n), "a"}}));
  };
  for (std::size_t n = 0; n < WorkRegistry::kMaxRuns; ++n) {
    ASSERT_EQ(start(n), std::nullopt) << n;
  }
  EXPECT_EQ(start(WorkRegistry::kMaxRuns), ErrorCode::kUnavailable);
  EXPECT_EQ(bench.core.Snapshot().work_running, WorkRegistry::kMaxRuns);
}

// Its wrapper died without a word, and what it had started by its deadline.
TEST(Runs, ThatNobodyKeepsForALeaseDurationAreNoLongerUnderWay) {
  Bench bench;
  const std::int64_t generation = bench.Acquire();
  const WorkRun run{"bill-20", "a"};
  bench.Step(StartWork{generation, run});
  const auto pass = [&bench](Duration by) {
    for (Duration gone{0}; gone < by; gone += seconds(1)) {
      bench.Run(seconds(1));
      if (bench.request) bench.Deliver(Duration{0});
    }
  };
  pass(seconds(10));
  bench.Step(KeepRun{run});
  pass(seconds(14));
  EXPECT_EQ(bench.core.Snapshot().runs_under_way.size(), 1U);
  // 15 s and the drift allowance.
  pass(seconds(2));
  EXPECT_TRUE(bench.core.Snapshot().runs_under_way.empty());
  EXPECT_EQ(bench.core.Snapshot().work_running, 1);
}

}  // namespace
}  // namespace tenure
