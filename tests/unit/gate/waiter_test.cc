#include "sidecar/gate/waiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Instant At(Duration elapsed) {
  return Instant{std::chrono::hours(3) + elapsed, elapsed};
}

Report Held() {
  Report report;
  report.certainty = Certainty::kHeld;
  report.generation = 7;
  report.to_renew_by = seconds(2);
  report.to_valid_until = seconds(3);
  return report;
}

Report Standby() {
  Report report;
  report.certainty = Certainty::kStandby;
  report.holder = "pod-b_1_2";
  report.holder_generation = 12;
  report.take_over = milliseconds(15'150);
  return report;
}

Waiter NewWaiter(Duration timeout) {
  return Waiter(WaiterOptions{timeout, 75, "", seconds(10)}, At(Duration{0}));
}

TEST(Waiter, AsksForWorkOnceForEachReportThatItIsHeld) {
  Waiter waiter = NewWaiter(seconds(5));
  EXPECT_FALSE(waiter.TakeWork());
  waiter.OnReport(Held());
  EXPECT_EQ(waiter.TakeWork(), 7);
  EXPECT_FALSE(waiter.TakeWork());
  waiter.OnReport(Held());
  EXPECT_EQ(waiter.TakeWork(), 7);
}

TEST(Waiter, AsksForNoWorkWhileDrainingOrInDoubt) {
  Waiter waiter = NewWaiter(seconds(5));
  Report draining = Held();
  draining.draining = true;
  waiter.OnReport(draining);
  EXPECT_FALSE(waiter.TakeWork());
  Report late = Held();
  late.to_renew_by = Duration{0};
  waiter.OnReport(late);
  EXPECT_FALSE(waiter.TakeWork());
  waiter.OnReport(Standby());
  EXPECT_FALSE(waiter.TakeWork());
}

TEST(Waiter, AsksForNoWorkWhileAnotherStartOfTheRunIsUnderWay) {
  Waiter waiter(WaiterOptions{seconds(5), 75, "b-20", seconds(10)},
                At(Duration{0}));
  Report busy = Held();
  busy.runs_under_way = {"b-19", "b-20"};
  waiter.OnReport(busy);
  EXPECT_FALSE(waiter.TakeWork());
  const auto end = waiter.Decide(At(seconds(5)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 75);
  EXPECT_THAT(end->message, HasSubstr("run b-20 is under way"));
  busy.runs_under_way = {"b-19"};
  waiter.OnReport(busy);
  EXPECT_TRUE(waiter.TakeWork());
}

TEST(Waiter, GivesUpAtTheTimeoutAndSaysWhoHolds) {
  Waiter waiter = NewWaiter(seconds(20));
  waiter.OnReport(Standby());
  EXPECT_FALSE(waiter.Decide(At(seconds(20) - Duration{1})));
  EXPECT_EQ(waiter.NextDeadline(At(seconds(18))), seconds(2));
  const auto end = waiter.Decide(At(seconds(20)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 75);
  EXPECT_THAT(end->message,
              AllOf(HasSubstr("within 20 s"), HasSubstr("pod-b_1_2"),
                    HasSubstr("generation 12"), Not(HasSubstr("longer"))));
}

TEST(Waiter, SaysIfTheTimeoutCouldNeverTakeOverFromADeadHolder) {
  Waiter waiter = NewWaiter(seconds(15));
  waiter.OnReport(Standby());
  EXPECT_THAT(waiter.Decide(At(seconds(15)))->message,
              AllOf(HasSubstr("15150 ms"), HasSubstr("longer --timeout")));
}

TEST(Waiter, WithoutATimeoutItWaitsOn) {
  Waiter waiter = NewWaiter(Duration{0});
  waiter.OnReport(Standby());
  EXPECT_FALSE(waiter.Decide(At(std::chrono::hours(24))));
  EXPECT_EQ(waiter.NextDeadline(At(Duration{0})), Duration::max());
}

TEST(Waiter, ASidecarThatNobodyReachesIs69AfterAWhileOrAtTheTimeout) {
  Waiter without = NewWaiter(Duration{0});
  without.OnUnreachable("nobody there", At(seconds(1)));
  without.OnUnreachable("nobody there", At(seconds(5)));
  EXPECT_FALSE(without.Decide(At(seconds(11) - Duration{1})));
  const auto end = without.Decide(At(seconds(11)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 69);
  EXPECT_EQ(end->message, "nobody there");
  Waiter with = NewWaiter(seconds(2));
  with.OnUnreachable("nobody there", At(seconds(1)));
  EXPECT_EQ(with.Decide(At(seconds(2)))->exit_code, 69);
}

TEST(Waiter, ASidecarThatAnswersAgainIsReached) {
  Waiter waiter = NewWaiter(Duration{0});
  waiter.OnUnreachable("nobody there", At(seconds(1)));
  waiter.OnReport(Standby());
  EXPECT_FALSE(waiter.Decide(At(seconds(60))));
}

TEST(Waiter, ASidecarThatIsSilentIs69AtTheTimeoutAsWell) {
  const auto end = NewWaiter(seconds(1)).Decide(At(seconds(1)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 69);
  EXPECT_THAT(end->message, HasSubstr("within 1 s, found silence"));
}

TEST(Waiter, ATimeoutTooShortForAnAnswerSaysNothingOfTheSidecar) {
  const auto end = NewWaiter(milliseconds(2)).Decide(At(milliseconds(2)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 75);
  EXPECT_THAT(end->message, HasSubstr("has not answered"));
}

TEST(Waiter, SaysWhatIsInTheWay) {
  Waiter waiter = NewWaiter(seconds(1));
  Report report = Standby();
  report.refusal = "set minGeneration\x1b[2J";
  waiter.OnReport(report);
  EXPECT_THAT(waiter.Decide(At(seconds(1)))->message,
              HasSubstr("set minGeneration?[2J"));
  waiter.OnReport(Held());
  waiter.OnWorkRefused("too many works");
  EXPECT_THAT(waiter.Decide(At(seconds(1)))->message,
              HasSubstr("too many works"));
}

TEST(Waiter, NamesAnApiServerThatDoesNotAnswerAndAdvisesNoPatience) {
  Waiter waiter = NewWaiter(seconds(2));
  Report report = Standby();
  report.certainty = Certainty::kUncertain;
  report.reason = "unsettled";
  report.server_error = "connecting to 127.0.0.1:9: Connection refused";
  waiter.OnReport(report);
  EXPECT_EQ(waiter.Decide(At(seconds(2)))->message,
            "expected to hold the lease within 2 s, found: no answer from the "
            "API server: connecting to 127.0.0.1:9: Connection refused");
}

TEST(Waiter, RbacAndAQuestionRefusedEndTheWaitAtOnce) {
  Waiter forbidden = NewWaiter(Duration{0});
  Report report = Standby();
  report.refusal = "may not get leases";
  report.forbidden = true;
  forbidden.OnReport(report);
  EXPECT_EQ(forbidden.Decide(At(Duration{0}))->exit_code, 77);
  Waiter refused = NewWaiter(Duration{0});
  refused.OnRefused("no lease \"c\" in this sidecar");
  EXPECT_EQ(refused.Decide(At(Duration{0}))->exit_code, 64);
}

Waiter NewOnce() {
  return Waiter(WaiterOptions{Duration{0}, 75, "bill-20", seconds(10)},
                At(Duration{0}));
}

TEST(Waiter, ARunThatIsRecordedEndsTheWaitWellWhoeverHolds) {
  Waiter waiter = NewOnce();
  Report report = Standby();
  report.last_run = {"bill-20", "bill-20"};
  waiter.OnReport(report);
  const auto end = waiter.Decide(At(Duration{0}));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 0);
  EXPECT_THAT(end->message, HasSubstr("recorded as done"));
}

TEST(Waiter, ARunThatIsNotNewerIsRefusedAndANewOneIsNot) {
  Waiter older = NewOnce();
  Report report = Held();
  report.last_run = {"bill-21", "bill-21"};
  older.OnReport(report);
  EXPECT_FALSE(older.TakeWork());
  EXPECT_EQ(older.Decide(At(Duration{0}))->exit_code, 64);
  EXPECT_THAT(older.Decide(At(Duration{0}))->message,
              AllOf(HasSubstr("bill-21"), HasSubstr("bill-20")));
  Waiter newer = NewOnce();
  report.last_run = {"bill-19", "bill-19"};
  newer.OnReport(report);
  EXPECT_EQ(newer.TakeWork(), 7);
}

TEST(Waiter, OfSlotsNoneRecordsForTheOthersSoNothingRunsOnce) {
  Report report = Held();
  report.slot = true;
  Waiter once = NewOnce();
  once.OnReport(report);
  EXPECT_FALSE(once.TakeWork());
  EXPECT_EQ(once.Decide(At(Duration{0}))->exit_code, 64);
  EXPECT_THAT(once.Decide(At(Duration{0}))->message, HasSubstr("slots"));
  Waiter any = NewWaiter(Duration{0});
  any.OnReport(report);
  EXPECT_EQ(any.TakeWork(), 7);
}

TEST(Waiter, ASignalThatEndsProgramsEndsTheWaitAndOthersDoNot) {
  Waiter waiter = NewWaiter(Duration{0});
  waiter.OnReport(Held());
  for (const int signal : {SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT}) {
    waiter.OnSignal(signal);
    EXPECT_FALSE(waiter.Decide(At(Duration{0})));
  }
  waiter.OnSignal(SIGTERM);
  EXPECT_EQ(waiter.Decide(At(Duration{0}))->exit_code, 143);
  EXPECT_FALSE(waiter.TakeWork());
}

TEST(Waiter, ASidecarOfOnesOwnIsWaitedForUntilTheTimeout) {
  WaiterOptions options{seconds(60), 75, "", seconds(10), true};
  Waiter waiter(options, At(Duration{0}));
  waiter.OnUnreachable("no such file", At(seconds(1)));
  EXPECT_FALSE(waiter.Decide(At(seconds(59))));
  EXPECT_EQ(waiter.NextDeadline(At(seconds(59))), seconds(1));
  const auto end = waiter.Decide(At(seconds(60)));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 75);
  EXPECT_THAT(end->message, HasSubstr("still starting"));
}

TEST(Waiter, TellsHowMuchOfItsTimeIsLeft) {
  EXPECT_EQ(NewWaiter(seconds(5)).TimeLeft(At(seconds(2))), seconds(3));
  EXPECT_EQ(NewWaiter(seconds(5)).TimeLeft(At(seconds(7))), Duration{0});
  EXPECT_EQ(NewWaiter(Duration{0}).TimeLeft(At(seconds(2))), Duration::max());
}

}  // namespace
}  // namespace tenure
