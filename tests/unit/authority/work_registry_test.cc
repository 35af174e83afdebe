#include "sidecar/authority/work_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Verdict = WorkRegistry::Verdict;

constexpr Duration kLimit = seconds(15);

Instant At(Duration elapsed) {
  return Instant{std::chrono::hours(3) + elapsed, elapsed};
}

TEST(WorkRegistry, TakesOneRunOfAnIdUntilItsWorkIsDone) {
  WorkRegistry registry(kLimit);
  const WorkRun run{"bill-20", "a"};
  EXPECT_EQ(registry.Start(7, run, At(seconds(0))), Verdict::kTaken);
  EXPECT_EQ(registry.Start(7, {"bill-20", "b"}, At(seconds(1))),
            Verdict::kRunUnderWay);
  EXPECT_EQ(registry.running(), 1);
  EXPECT_EQ(registry.Start(7, {"bill-21", "c"}, At(seconds(1))),
            Verdict::kTaken);
  EXPECT_EQ(registry.Start(7, {}, At(seconds(1))), Verdict::kTaken);
  EXPECT_THAT(registry.Runs(), ElementsAre("bill-20", "bill-21"));
  EXPECT_TRUE(registry.Finish(7, run));
  EXPECT_THAT(registry.Runs(), ElementsAre("bill-21"));
  EXPECT_EQ(registry.Start(8, {"bill-20", "b"}, At(seconds(2))),
            Verdict::kTaken);
}

TEST(WorkRegistry, WorkIsBounded) {
  WorkRegistry registry(kLimit);
  for (int i = 0; i < WorkRegistry::kMaxRunning; ++i) {
    ASSERT_EQ(registry.Start(7, {}, At(seconds(0))), Verdict::kTaken) << i;
  }
  EXPECT_EQ(registry.Start(7, {}, At(seconds(0))), Verdict::kFull);
  EXPECT_EQ(registry.running(), WorkRegistry::kMaxRunning);
}

TEST(WorkRegistry, AnotherTermDoesNotMakeASecondRunOfAnId) {
  WorkRegistry registry(kLimit);
  registry.Start(7, {"bill-20", "a"}, At(seconds(0)));
  EXPECT_EQ(registry.Start(8, {"bill-20", "b"}, At(seconds(1))),
            Verdict::kRunUnderWay);
}

TEST(WorkRegistry, ForgetsARunThatNobodyKeepsButNotItsWork) {
  WorkRegistry registry(kLimit);
  const WorkRun run{"bill-20", "a"};
  EXPECT_EQ(registry.ForgetsIn(At(seconds(0))), Duration::max());
  registry.Start(7, run, At(seconds(0)));
  EXPECT_EQ(registry.ForgetsIn(At(seconds(4))), seconds(11));
  registry.Keep({"bill-20", "b"}, At(seconds(10)));
  EXPECT_EQ(registry.ForgetsIn(At(seconds(10))), seconds(5));
  registry.Keep(run, At(seconds(10)));
  registry.ForgetRuns(At(seconds(24)));
  EXPECT_THAT(registry.Runs(), ElementsAre("bill-20"));
  registry.ForgetRuns(At(seconds(25)));
  EXPECT_THAT(registry.Runs(), IsEmpty());
  EXPECT_EQ(registry.running(), 1);
}

TEST(WorkRegistry, ByTheClockThatWentLeast) {
  WorkRegistry registry(kLimit);
  registry.Start(7, {"bill-20", "a"}, Instant{seconds(100), seconds(50)});
  const Instant now{seconds(200), seconds(60)};
  EXPECT_EQ(registry.ForgetsIn(now), seconds(5));
  registry.ForgetRuns(now);
  EXPECT_THAT(registry.Runs(), ElementsAre("bill-20"));
}

// It was stopped for so long that another began: what it says is of its own.
TEST(WorkRegistry, OneThatWasForgottenDoesNotEndItsFollower) {
  WorkRegistry registry(kLimit);
  const WorkRun first{"bill-20", "a"};
  registry.Start(7, first, At(seconds(0)));
  registry.ForgetRuns(At(kLimit));
  registry.Start(7, {"bill-20", "b"}, At(kLimit));
  EXPECT_TRUE(registry.Finish(7, first));
  EXPECT_EQ(registry.Start(7, {"bill-20", "c"}, At(kLimit)),
            Verdict::kRunUnderWay);
}

TEST(WorkRegistry, RunsUnderWayAreBounded) {
  WorkRegistry registry(kLimit);
  for (std::size_t i = 0; i < WorkRegistry::kMaxRuns; ++i) {
    ASSERT_EQ(registry.Start(7, {"r" + std::to_string(i), "a"}, At(seconds(0))),
              Verdict::kTaken);
  }
  EXPECT_EQ(registry.Start(7, {"one-more", "a"}, At(seconds(0))),
            Verdict::kRunsFull);
  EXPECT_EQ(registry.Start(7, {}, At(seconds(0))), Verdict::kTaken);
}

}  // namespace
}  // namespace tenure
