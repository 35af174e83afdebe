#include "sidecar/gate/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/passing_time.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// D 3 s, R 2 s as in the preset fast; the claim ends at 2.97 s and killing
// begins at 2.485 s, the middle, for the margin would be before it.
constexpr Duration kRenewBy = seconds(2);
constexpr Duration kValidFor = milliseconds(2'970);
constexpr Duration kKill = milliseconds(2'485);
constexpr Duration kTick{1};

Instant At(Duration elapsed) {
  return Instant{std::chrono::hours(3) + elapsed, elapsed};
}

// Asked at `asked`, of a renewal that was sent at `sent`.
Report Held(Duration asked, Duration sent, std::int64_t generation = 7) {
  Report report;
  report.asked = At(asked);
  report.certainty = Certainty::kHeld;
  report.generation = generation;
  report.to_renew_by = sent + kRenewBy - asked;
  report.to_valid_until = sent + kValidFor - asked;
  return report;
}

Report Uncertain(Duration asked, const std::string& reason,
                 Duration to_valid_until) {
  Report report;
  report.asked = At(asked);
  report.certainty = Certainty::kUncertain;
  report.reason = reason;
  report.to_valid_until = to_valid_until;
  report.try_limit = milliseconds(250);
  return report;
}

Report Standby(Duration asked) {
  Report report;
  report.asked = At(asked);
  report.certainty = Certainty::kStandby;
  return report;
}

Guard NewGuard(OnUncertain action = OnUncertain::kStop) {
  return Guard(GuardOptions{action, milliseconds(500), seconds(2)},
               Held(Duration{0}, Duration{0}));
}

TEST(Guard, TellsTheGroupToStopAtRenewByAndNotBefore) {
  Guard guard = NewGuard();
  EXPECT_THAT(guard.Decide(At(kRenewBy - kTick)).to_group, IsEmpty());
  EXPECT_THAT(guard.Decide(At(kRenewBy)).to_group, ElementsAre(SIGTERM));
  EXPECT_THAT(guard.Decide(At(kRenewBy + kTick)).to_group, IsEmpty());
  EXPECT_FALSE(guard.loss().empty());
}

TEST(Guard, KillsBeforeTheClaimEndsAndGoesOnUntilNothingIsLeft) {
  Guard guard = NewGuard();
  EXPECT_FALSE(guard.Decide(At(kKill - kTick)).kill);
  EXPECT_TRUE(guard.Decide(At(kKill)).kill);
  EXPECT_TRUE(guard.Decide(At(kKill + seconds(1))).kill);
  guard.OnExit(137, At(kKill + seconds(2)));
  EXPECT_TRUE(guard.Decide(At(kKill + seconds(2))).kill);
  guard.OnGone();
  EXPECT_FALSE(guard.Decide(At(kKill + seconds(3))).kill);
  EXPECT_TRUE(guard.gone());
}

TEST(Guard, TheMarginCountsBackFromTheEndOfTheClaim) {
  Guard guard(GuardOptions{OnUncertain::kStop, milliseconds(100), seconds(2)},
              Held(Duration{0}, Duration{0}));
  EXPECT_FALSE(guard.Decide(At(kValidFor - milliseconds(100) - kTick)).kill);
  EXPECT_TRUE(guard.Decide(At(kValidFor - milliseconds(100))).kill);
}

TEST(Guard, WithoutAMarginThereIsTimeToDieAllTheSame) {
  Guard guard(GuardOptions{OnUncertain::kStop, Duration{0}, seconds(2)},
              Held(Duration{0}, Duration{0}));
  EXPECT_TRUE(guard.Decide(At(kValidFor - milliseconds(50))).kill);
}

TEST(Guard, RemainingTimeCountsFromBeforeTheQuestion) {
  Guard guard(GuardOptions{}, Held(Duration{0}, milliseconds(-1'500)));
  EXPECT_THAT(guard.Decide(At(milliseconds(500))).to_group,
              ElementsAre(SIGTERM));
}

TEST(Guard, TheClockThatShowsMoreDecides) {
  Guard by_boot = NewGuard();
  Instant suspended = At(seconds(1));
  suspended.boot += seconds(5);
  EXPECT_TRUE(by_boot.Decide(suspended).kill);
  Guard by_raw = NewGuard();
  Instant slewed = At(seconds(1));
  slewed.raw += seconds(5);
  EXPECT_TRUE(by_raw.Decide(slewed).kill);
}

TEST(Guard, ARenewalMovesBothDeadlines) {
  Guard guard = NewGuard();
  guard.OnReport(Held(seconds(1), milliseconds(900)), At(seconds(1)));
  EXPECT_THAT(guard.Decide(At(kRenewBy)).to_group, IsEmpty());
  EXPECT_THAT(guard.Decide(At(kRenewBy + milliseconds(900))).to_group,
              ElementsAre(SIGTERM));
  EXPECT_FALSE(guard.Decide(At(kKill + milliseconds(900) - kTick)).kill);
  EXPECT_TRUE(guard.Decide(At(kKill + milliseconds(900))).kill);
}

TEST(Guard, ASlowAnswerShortensNothing) {
  Guard guard = NewGuard();
  Report slow = Held(milliseconds(100), Duration{0});
  slow.to_renew_by -= milliseconds(300);
  slow.to_valid_until -= milliseconds(300);
  guard.OnReport(slow, At(milliseconds(400)));
  EXPECT_THAT(guard.Decide(At(kRenewBy - kTick)).to_group, IsEmpty());
}

TEST(Guard, BeingToldToStopIsNeverWithdrawn) {
  Guard guard = NewGuard();
  guard.Decide(At(kRenewBy));
  guard.OnReport(Held(kRenewBy + kTick, kRenewBy), At(kRenewBy + kTick));
  EXPECT_TRUE(guard.Decide(At(kKill)).kill);
}

TEST(Guard, AReportThatComesAfterTheDeadlineDoesNotMoveIt) {
  // As after SIGCONT: the answer lay in the socket all the while.
  Guard guard = NewGuard(OnUncertain::kIgnore);
  guard.OnReport(Held(kKill, kKill), At(kKill));
  EXPECT_TRUE(guard.Decide(At(kKill)).kill);
  Guard told = NewGuard();
  told.OnReport(Held(kRenewBy, kRenewBy), At(kRenewBy));
  EXPECT_THAT(told.Decide(At(kRenewBy)).to_group, ElementsAre(SIGTERM));
}

TEST(Guard, AnotherGenerationIsALossAndLeavesTheDeadlineAsItWas) {
  Guard guard = NewGuard();
  guard.OnReport(Held(seconds(1), seconds(1), 8), At(seconds(1)));
  EXPECT_THAT(guard.Decide(At(seconds(1))).to_group, ElementsAre(SIGTERM));
  EXPECT_THAT(guard.loss(), HasSubstr("8"));
  EXPECT_FALSE(guard.Decide(At(kKill - kTick)).kill);
  EXPECT_TRUE(guard.Decide(At(kKill)).kill);
}

TEST(Guard, AStandbyAnswerOrAnEndedClaimIsALoss) {
  Guard standby = NewGuard();
  standby.OnReport(Standby(seconds(1)), At(seconds(1)));
  EXPECT_THAT(standby.Decide(At(seconds(1))).to_group, ElementsAre(SIGTERM));
  Guard unsettled = NewGuard();
  unsettled.OnReport(Uncertain(seconds(1), "unsettled", Duration{0}),
                     At(seconds(1)));
  unsettled.OnReport(Held(seconds(1), seconds(1)), At(seconds(1)));
  EXPECT_TRUE(unsettled.Decide(At(kKill)).kill);
}

TEST(Guard, ASidecarInDoubtCountsAsRenewBy) {
  Guard guard = NewGuard();
  guard.OnReport(Uncertain(seconds(1), "renewBy", seconds(1)), At(seconds(1)));
  EXPECT_THAT(guard.Decide(At(seconds(1))).to_group, ElementsAre(SIGTERM));
}

TEST(Guard, ClockDoubtIsGivenOneTryToEnd) {
  const Report doubt = Uncertain(seconds(1), "clock", seconds(1));
  Guard ends = NewGuard();
  ends.OnReport(doubt, At(seconds(1)));
  EXPECT_THAT(ends.Decide(At(milliseconds(1'249))).to_group, IsEmpty());
  EXPECT_THAT(ends.Decide(At(milliseconds(1'250))).to_group,
              ElementsAre(SIGTERM));
  Guard passes = NewGuard();
  passes.OnReport(doubt, At(seconds(1)));
  passes.OnReport(Held(milliseconds(1'200), milliseconds(1'100)),
                  At(milliseconds(1'200)));
  EXPECT_THAT(passes.Decide(At(seconds(2))).to_group, IsEmpty());
}

TEST(Guard, PausesEveryDescendantAndLetsThemGoOnWithCertainty) {
  Guard guard = NewGuard(OnUncertain::kPause);
  EXPECT_THAT(guard.Decide(At(kRenewBy)).to_all, ElementsAre(SIGSTOP));
  EXPECT_THAT(guard.Decide(At(kRenewBy + kTick)).to_all, IsEmpty());
  const Duration later = kRenewBy + milliseconds(200);
  guard.OnReport(Held(later, later), At(later));
  EXPECT_THAT(guard.Decide(At(later)).to_all, ElementsAre(SIGCONT));
  EXPECT_TRUE(guard.loss().empty());
  EXPECT_FALSE(guard.Decide(At(kKill)).kill);
  EXPECT_TRUE(guard.Decide(At(later + kKill)).kill);
}

TEST(Guard, NothingButCertaintyLetsAPausedCommandGoOn) {
  Guard guard = NewGuard(OnUncertain::kPause);
  guard.Decide(At(kRenewBy));
  guard.OnSignal(SIGCONT);
  guard.OnSignal(SIGTERM);
  EXPECT_THAT(guard.Decide(At(kRenewBy)).to_group, ElementsAre(SIGTERM));
  // Held when asked, but in doubt again by now.
  Report stale = Held(kRenewBy, kRenewBy);
  stale.to_renew_by = milliseconds(1);
  guard.OnReport(stale, At(kRenewBy + milliseconds(1)));
  EXPECT_THAT(guard.Decide(At(kRenewBy + milliseconds(1))).to_all, IsEmpty());
}

TEST(Guard, APausedCommandWhoseLeaseIsLostIsKilledAtOnce) {
  Guard guard = NewGuard(OnUncertain::kPause);
  guard.Decide(At(kRenewBy));
  guard.OnReport(Standby(kRenewBy), At(kRenewBy));
  EXPECT_TRUE(guard.Decide(At(kRenewBy)).kill);
}

TEST(Guard, IgnoringDoubtStillEndsBeforeTheClaim) {
  Guard guard = NewGuard(OnUncertain::kIgnore);
  const GuardOrders orders = guard.Decide(At(kRenewBy));
  EXPECT_THAT(orders.to_group, IsEmpty());
  EXPECT_THAT(orders.to_all, IsEmpty());
  EXPECT_TRUE(guard.loss().empty());
  EXPECT_TRUE(guard.Decide(At(kKill)).kill);
  EXPECT_FALSE(guard.loss().empty());
}

TEST(Guard, PassesSignalsOnInTheirOrderAndOnce) {
  Guard guard = NewGuard();
  guard.OnSignal(SIGHUP);
  guard.OnSignal(SIGUSR1);
  EXPECT_EQ(guard.NextDeadline(At(Duration{0})), Duration{0});
  EXPECT_THAT(guard.Decide(At(Duration{0})).to_group,
              ElementsAre(SIGHUP, SIGUSR1));
  EXPECT_THAT(guard.Decide(At(Duration{0})).to_group, IsEmpty());
}

TEST(Guard, WhatTheCommandLeavesIsToldToStopAndThenKilled) {
  Guard guard = NewGuard(OnUncertain::kIgnore);
  guard.OnExit(3, At(milliseconds(100)));
  guard.OnSignal(SIGHUP);  // the group may be another's by now
  const GuardOrders orders = guard.Decide(At(milliseconds(100)));
  EXPECT_THAT(orders.to_all, ElementsAre(SIGTERM));
  EXPECT_THAT(orders.to_group, IsEmpty());
  EXPECT_FALSE(guard.Decide(At(milliseconds(2'099))).kill);
  EXPECT_TRUE(guard.Decide(At(milliseconds(2'100))).kill);
  EXPECT_EQ(guard.exit_code(), 3);
  EXPECT_TRUE(guard.loss().empty());
}

TEST(Guard, WhatTheCommandLeavesIsDeadBeforeTheClaimEndsToo) {
  Guard guard = NewGuard();
  guard.OnExit(0, At(milliseconds(1'900)));
  EXPECT_TRUE(guard.Decide(At(kKill)).kill);
  // The command itself had ended well by then.
  EXPECT_TRUE(guard.loss().empty());
}

TEST(Guard, IsDueWhenItHasSomethingToSay) {
  for (const OnUncertain action :
       {OnUncertain::kStop, OnUncertain::kPause, OnUncertain::kIgnore}) {
    Guard guard = NewGuard(action);
    Instant now = At(Duration{0});
    int steps = 0;
    while (!guard.Decide(now).kill) {
      const Duration next = guard.NextDeadline(now);
      ASSERT_GT(next, Duration{0});
      now = Later(now, next);
      ASSERT_LT(++steps, 4);
    }
    EXPECT_EQ(now, At(kKill));
  }
}

TEST(ShortenedMargin, IsSaidOnlyOfOneThatWasAskedFor) {
  GuardOptions options;
  EXPECT_EQ(ShortenedMargin(options, Held(Duration{0}, Duration{0})), "");
  options.kill_margin = milliseconds(485);
  EXPECT_EQ(ShortenedMargin(options, Held(Duration{0}, Duration{0})), "");
  options.kill_margin = seconds(5);
  EXPECT_THAT(ShortenedMargin(options, Held(Duration{0}, Duration{0})),
              HasSubstr("485 ms, found 5000 ms; used 485 ms"));
}

}  // namespace
}  // namespace tenure
