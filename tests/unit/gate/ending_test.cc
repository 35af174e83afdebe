#include "sidecar/gate/ending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using Step = Ending::Step;

constexpr int kLost = 79;

Instant At(Duration elapsed) {
  return Instant{std::chrono::hours(3) + elapsed, elapsed};
}

Report Held(Duration asked, const char* done = "") {
  Report report;
  report.asked = At(asked);
  report.certainty = Certainty::kHeld;
  report.generation = 7;
  report.to_renew_by = seconds(2);
  report.to_valid_until = seconds(3);
  report.last_run.id = done;
  return report;
}

Report Standby() {
  Report report;
  report.certainty = Certainty::kStandby;
  return report;
}

Ending Plain(int code = 0, bool lost = false) {
  return Ending(EndingOptions{}, Held(Duration{0}), code, lost);
}

EndingOptions OnceOptions() {
  EndingOptions options;
  options.once = "bill-20";
  return options;
}

EndingOptions HoldingFor(Duration duration) {
  EndingOptions options;
  options.hold_at_least = duration;
  return options;
}

Ending Once(int code = 0, bool lost = false) {
  return Ending(OnceOptions(), Held(Duration{0}), code, lost);
}

TEST(Ending, ReportsOnceAndEndsWithTheAnswer) {
  Ending ending = Plain(5);
  EXPECT_EQ(ending.Decide(At(Duration{0})), Step::kReport);
  EXPECT_EQ(ending.Decide(At(Duration{0})), Step::kWait);
  ending.OnDone();
  EXPECT_EQ(ending.Decide(At(Duration{0})), Step::kEnd);
  EXPECT_EQ(ending.exit_code(), 5);
  EXPECT_THAT(ending.trouble(), IsEmpty());
}

TEST(Ending, ARunThatWasToldToStopIsNotRecorded) {
  EndingOptions options = OnceOptions();
  options.told_to_stop = 15;
  Ending ending(options, Held(Duration{0}), 0, false);
  EXPECT_FALSE(ending.recording());
  EXPECT_EQ(ending.exit_code(), 128 + 15);
  EXPECT_THAT(ending.trouble(), HasSubstr("signal 15"));
  Ending failed(options, Held(Duration{0}), 3, false);
  EXPECT_EQ(failed.exit_code(), 3);
  options.once.clear();
  Ending plain(options, Held(Duration{0}), 0, false);
  EXPECT_EQ(plain.exit_code(), 0);
}

TEST(Ending, WithoutAnAnswerItEndsAfterAWhileAndSaysSo) {
  Ending ending = Plain(5);
  ending.Decide(At(Duration{0}));
  EXPECT_EQ(ending.Decide(At(seconds(2) - Duration{1})), Step::kWait);
  EXPECT_EQ(ending.Decide(At(seconds(2))), Step::kEnd);
  EXPECT_EQ(ending.exit_code(), 5);
  // Asked, and not heard: it may have arrived.
  EXPECT_THAT(ending.trouble(), HasSubstr("unknown"));
}

TEST(Ending, IfItCouldNotEvenAskItSaysThat) {
  Ending ending = Plain(5);
  ending.Decide(At(Duration{0}));
  ending.OnNotSent(At(Duration{0}));
  EXPECT_EQ(ending.Decide(At(seconds(2))), Step::kEnd);
  EXPECT_THAT(ending.trouble(), HasSubstr("could not be told"));
}

TEST(Ending, ACommandThatRanForLongerThanItsGrantToldOfIsRecorded) {
  Ending ending = Once();
  ending.OnReport(Held(seconds(59)), At(seconds(60)));
  EXPECT_EQ(ending.Decide(At(seconds(60))), Step::kRecord);
}

TEST(Ending, WhatWasNotSentIsSentAgain) {
  Ending ending = Plain();
  ending.Decide(At(Duration{0}));
  ending.OnNotSent(At(Duration{0}));
  EXPECT_EQ(ending.Decide(At(milliseconds(49))), Step::kWait);
  EXPECT_EQ(ending.NextDeadline(At(milliseconds(49))), milliseconds(1));
  EXPECT_EQ(ending.Decide(At(milliseconds(50))), Step::kReport);
}

TEST(Ending, ARunIsRecordedBeforeDoneIsReported) {
  Ending ending = Once();
  EXPECT_EQ(ending.Decide(At(Duration{0})), Step::kRecord);
  EXPECT_EQ(ending.Decide(At(Duration{0})), Step::kWait);
  ending.OnReport(Held(Duration{0}, "bill-19"), At(Duration{0}));
  EXPECT_EQ(ending.Decide(At(Duration{0})), Step::kWait);
  ending.OnReport(Held(Duration{0}, "bill-20"), At(Duration{0}));
  EXPECT_EQ(ending.Decide(At(Duration{0})), Step::kReport);
  EXPECT_EQ(ending.exit_code(), 0);
}

TEST(Ending, ARunThatFailedOrLostItsLeaseIsNotRecorded) {
  EXPECT_EQ(Once(1).Decide(At(Duration{0})), Step::kReport);
  EXPECT_EQ(Once(kLost, true).Decide(At(Duration{0})), Step::kReport);
}

TEST(Ending, ARunThatCannotBeRecordedIs79AndSaysThatItRunsAgain) {
  Ending refused = Once();
  refused.Decide(At(Duration{0}));
  refused.OnRunRefused("not newer");
  EXPECT_EQ(refused.Decide(At(Duration{0})), Step::kReport);
  EXPECT_EQ(refused.exit_code(), kLost);
  EXPECT_THAT(refused.trouble(), HasSubstr("not newer"));
  Ending lost = Once();
  lost.OnReport(Standby(), At(Duration{0}));
  EXPECT_EQ(lost.Decide(At(Duration{0})), Step::kReport);
  EXPECT_EQ(lost.exit_code(), kLost);
  Ending silent = Once();
  silent.Decide(At(Duration{0}));
  EXPECT_EQ(silent.Decide(At(seconds(3) - Duration{1})), Step::kWait);
  EXPECT_EQ(silent.Decide(At(seconds(3))), Step::kReport);
  EXPECT_EQ(silent.exit_code(), kLost);
}

TEST(Ending, AsLongAsTheClaimIsRenewedRecordingIsWaitedFor) {
  Ending ending = Once();
  ending.Decide(At(Duration{0}));
  for (int i = 1; i < 20; ++i) {
    ending.OnReport(Held(seconds(i)), At(seconds(i)));
    EXPECT_EQ(ending.Decide(At(seconds(i))), Step::kWait);
  }
  EXPECT_EQ(ending.Claimed(At(seconds(20))), seconds(2));
}

TEST(Ending, TheLeaseIsHeldAsLongAsWasAskedFromTheGrantOn) {
  Ending ending(HoldingFor(seconds(5)), Held(Duration{0}), 4, false);
  EXPECT_EQ(ending.Decide(At(seconds(1))), Step::kWait);
  ending.OnReport(Held(seconds(3)), At(seconds(3)));
  EXPECT_EQ(ending.Decide(At(seconds(5) - Duration{1})), Step::kWait);
  EXPECT_EQ(ending.Decide(At(seconds(5))), Step::kReport);
  EXPECT_EQ(ending.exit_code(), 4);
}

TEST(Ending, HoldingEndsWithASignalOrWithTheLease) {
  const EndingOptions options = HoldingFor(seconds(5));
  Ending signalled(options, Held(Duration{0}), 0, false);
  signalled.OnSignal();
  EXPECT_EQ(signalled.Decide(At(Duration{0})), Step::kReport);
  Ending lost(options, Held(Duration{0}), 0, false);
  lost.OnReport(Standby(), At(Duration{0}));
  EXPECT_EQ(lost.Decide(At(Duration{0})), Step::kReport);
  EXPECT_EQ(lost.exit_code(), 0);
  EXPECT_EQ(
      Ending(options, Held(Duration{0}), kLost, true).Decide(At(Duration{0})),
      Step::kReport);
}

}  // namespace
}  // namespace tenure
