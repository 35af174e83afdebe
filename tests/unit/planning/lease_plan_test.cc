#include "sidecar/planning/lease_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LeaseTimes Every(Duration interval) {
  LeaseTimes times;
  times.renew_interval = interval;
  return times;
}

PlanInputs Worked() {
  PlanInputs inputs;
  inputs.p99_work = seconds(8);
  inputs.p99_pause = seconds(2);
  inputs.max_network_delay = milliseconds(500);
  inputs.safety_margin = seconds(2);
  return inputs;
}

PlanInputs Tight() {
  PlanInputs inputs;
  inputs.p99_pause = seconds(4);
  inputs.max_network_delay = seconds(1);
  return inputs;
}

LeasePlan Chosen(const PlanInputs& inputs, const LeaseTimes& times) {
  const Result<LeasePlan> plan = ChoosePlan(inputs, times);
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  return plan.value_or(LeasePlan{});
}

LeasePlan Checked(const PlanInputs& inputs, std::int32_t lease,
                  Duration interval) {
  LeaseTimes times = Every(interval);
  times.lease_duration_seconds = lease;
  const Result<LeaseTimes> suitable =
      WithSuitableDeadline(times, inputs.p99_work);
  EXPECT_TRUE(suitable.has_value()) << suitable.error().message;
  return CheckPlan(inputs, suitable.value_or(LeaseTimes{}));
}

LeasePlan Preset(const char* name, const PlanInputs& inputs = {}) {
  return CheckPlan(inputs, TimesForPreset(name).value());
}

TEST(ChoosePlan, AddsUpAndRoundsUp) {
  const LeasePlan plan = Chosen(Worked(), Every(seconds(3)));
  EXPECT_EQ(plan.minimum, milliseconds(15'500));
  EXPECT_EQ(plan.times.lease_duration_seconds, 20);
  EXPECT_EQ(plan.jitter, milliseconds(250));
  EXPECT_EQ(plan.drift, milliseconds(200));
  EXPECT_EQ(plan.margin, milliseconds(6'500));
  EXPECT_TRUE(plan.enough);
  // The work can end between being told to stop and the end of the claim.
  EXPECT_GE(plan.survival.stop_budget, seconds(8));
}

TEST(ChoosePlan, TheAllowancesCanCostAStep) {
  PlanInputs inputs;
  inputs.p99_pause = seconds(2);
  inputs.safety_margin = seconds(4);
  // 2 + 2 + 4 = 8, and 200 ms of jitter: 9 s, less 90 ms of drift.
  EXPECT_EQ(Chosen(inputs, Every(seconds(2))).times.lease_duration_seconds, 9);
}

TEST(ChoosePlan, ThreeTriesFitBeforeTheRenewDeadline) {
  // 3 s and one more try would fit into 4 s, but not with a deadline in it.
  const LeasePlan plan = Chosen({}, Every(seconds(3)));
  EXPECT_EQ(plan.minimum, milliseconds(3'750));
  EXPECT_EQ(plan.times.lease_duration_seconds, 9);
}

TEST(ChoosePlan, WhatItChoosesItAcceptsAndASidecarTakes) {
  for (const Duration work : {seconds(0), seconds(3), seconds(61)}) {
    for (const Duration pause : {seconds(0), seconds(7), seconds(400)}) {
      for (const Duration interval :
           {Duration(milliseconds(100)), Duration(seconds(2)),
            Duration(minutes(1))}) {
        PlanInputs inputs;
        inputs.p99_work = work;
        inputs.p99_pause = pause;
        inputs.max_network_delay = milliseconds(200);
        const LeasePlan plan = Chosen(inputs, Every(interval));
        EXPECT_TRUE(CheckPlan(inputs, plan.times).enough);
        LeaseTimes given = Every(plan.times.renew_interval);
        given.lease_duration_seconds = plan.times.lease_duration_seconds;
        given.renew_deadline = plan.times.renew_deadline;
        EXPECT_TRUE(EffectiveTimes(given).has_value());
        EXPECT_GE(plan.survival.stop_budget, work);
      }
    }
  }
}

TEST(ChoosePlan, WhatFitsIntoNoWeekIsRefused) {
  PlanInputs inputs;
  inputs.p99_work = hours(169);
  const Result<LeasePlan> plan = ChoosePlan(inputs, Every(seconds(2)));
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().message, HasSubstr("168 h"));
}

TEST(ChoosePlan, WhatNoSidecarTakesIsRefusedInItsWords) {
  LeaseTimes times = Every(seconds(1));
  times.foreign_contenders = true;
  const Result<LeasePlan> plan = ChoosePlan({}, times);
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().message, HasSubstr("foreign contenders"));
}

TEST(CheckPlan, TwoSecondsOfMarginAreTooFewAfterTheAllowances) {
  const LeasePlan plan = Checked(Tight(), 10, seconds(3));
  EXPECT_EQ(plan.margin, seconds(2));
  EXPECT_EQ(plan.jitter, milliseconds(500));
  EXPECT_EQ(plan.drift, milliseconds(100));
  EXPECT_EQ(plan.left, milliseconds(1'400));
  EXPECT_EQ(plan.safety_margin, milliseconds(1'750));  // 3 s / 4 + 1 s
  EXPECT_FALSE(plan.enough);
  EXPECT_EQ(plan.would_do.value().lease_duration_seconds, 15);
}

TEST(CheckPlan, WorkBegunAtTheRenewDeadlineMustEndBeforeTheClaim) {
  PlanInputs inputs;
  inputs.p99_work = seconds(5);
  LeaseTimes times = Every(seconds(2));
  times.lease_duration_seconds = 10;
  times.renew_deadline = seconds(9);
  const LeasePlan late = CheckPlan(inputs, EffectiveTimes(times).value());
  EXPECT_EQ(late.survival.stop_budget, milliseconds(900));
  EXPECT_GE(late.left, late.safety_margin);
  EXPECT_FALSE(late.enough);
  // The same duration, with an earlier deadline.
  EXPECT_EQ(late.would_do.value().lease_duration_seconds, 10);
  EXPECT_EQ(late.would_do.value().renew_deadline, milliseconds(4'900));
  EXPECT_TRUE(CheckPlan(inputs, *late.would_do).enough);

  inputs.p99_work = milliseconds(970);
  EXPECT_TRUE(Preset("fast", inputs).enough);
  inputs.p99_work = milliseconds(971);
  EXPECT_FALSE(Preset("fast", inputs).enough);
}

TEST(CheckPlan, WhatIsSaidToDoDoes) {
  for (const std::int32_t lease : {10, 20}) {
    for (const int work : {0, 4, 8, 12, 15, 30}) {
      PlanInputs inputs;
      inputs.p99_work = seconds(work);
      inputs.p99_pause = seconds(2);
      const LeasePlan plan = Checked(inputs, lease, seconds(3));
      ASSERT_TRUE(plan.would_do.has_value()) << lease << " " << work;
      EXPECT_GE(plan.would_do->lease_duration_seconds, lease);
      EXPECT_TRUE(CheckPlan(inputs, *plan.would_do).enough);
    }
  }
}

TEST(CheckPlan, AMarginAskedForReplacesOneMoreTry) {
  PlanInputs inputs = Tight();
  inputs.safety_margin = milliseconds(1'400);
  EXPECT_TRUE(Checked(inputs, 10, seconds(3)).enough);
  inputs.safety_margin = milliseconds(1'401);
  EXPECT_FALSE(Checked(inputs, 10, seconds(3)).enough);
}

TEST(CheckPlan, ThePresetsHoldWhatAQuietClusterDoes) {
  PlanInputs inputs;
  inputs.p99_pause = milliseconds(50);
  inputs.max_network_delay = milliseconds(100);
  for (const char* preset : {"fast", "default", "patient"}) {
    EXPECT_TRUE(Preset(preset, inputs).enough) << preset;
  }
}

TEST(CheckPlan, CountsWithTheFunctionsOfTheSidecar) {
  PlanInputs inputs;
  inputs.max_network_delay = milliseconds(300);
  LeaseTimes times = TimesForPreset("default").value();
  times.foreign_contenders = true;
  const LeasePlan plan = CheckPlan(inputs, times);
  EXPECT_EQ(plan.drift, seconds(15) - ValidFor(times));
  EXPECT_EQ(plan.survival.stop_budget, ValidFor(times) - seconds(10));
  EXPECT_EQ(plan.survival.recovery,
            TakeOverWait(15, times.drift_ppm) + milliseconds(300));
}

TEST(CheckPlan, TheOutageSurvivedIsTheOneTimesForRideOutProvidesFor) {
  const LeaseTimes times =
      TimesForRideOut(seconds(30), seconds(5), seconds(2), 10'000).value();
  EXPECT_EQ(CheckPlan({}, times).survival.outage_held, seconds(30));
}

TEST(CheckPlan, ADefaultLeaseInFigures) {
  const Survival survival = Preset("default").survival;
  EXPECT_EQ(survival.outage_held, seconds(5));
  EXPECT_EQ(survival.outage_claim, milliseconds(9'850));
  EXPECT_EQ(survival.pause_held, seconds(8));
  EXPECT_EQ(survival.pause_claim, milliseconds(12'850));
  EXPECT_EQ(survival.stop_budget, milliseconds(4'850));
  EXPECT_EQ(survival.recovery, milliseconds(15'150));
}

TEST(CheckPlan, RequestsLieBetweenBothBounds) {
  const LeasePlan plan = Preset("default");
  EXPECT_EQ(plan.requests_per_hour, 1800);
  EXPECT_EQ(plan.most_requests_per_hour, 2000);
  RenewalSchedule schedule(plan.times, 7);
  for (int i = 0; i < 1000; ++i) {
    const double period =
        std::chrono::duration<double>(schedule.NextRenewal()).count();
    EXPECT_GE(3600 / period, plan.requests_per_hour);
    EXPECT_LE(3600 / period, plan.most_requests_per_hour);
  }
}

TEST(CheckPlan, WarnsUnlessTheLeaseIsShorterThanTheJobTimeout) {
  PlanInputs inputs;
  inputs.job_timeout = seconds(15);
  EXPECT_THAT(Preset("default", inputs).warnings,
              ElementsAre(HasSubstr("15 s is not shorter than the job "
                                    "timeout 15 s")));
  inputs.job_timeout = milliseconds(15'100);
  EXPECT_THAT(Preset("default", inputs).warnings,
              ElementsAre(HasSubstr("recovery takes 15.15 s")));
  inputs.job_timeout = seconds(16);
  EXPECT_THAT(Preset("default", inputs).warnings, IsEmpty());
}

TEST(WithSuitableDeadline, IsTwoThirdsOrEarlierForTheWork) {
  LeaseTimes times = Every(seconds(2));
  times.lease_duration_seconds = 30;
  EXPECT_EQ(WithSuitableDeadline(times, Duration{0})->renew_deadline,
            seconds(20));
  EXPECT_EQ(WithSuitableDeadline(times, seconds(15))->renew_deadline,
            milliseconds(14'700));
  // None leaves the work enough: the usual one, and the plan is too small.
  EXPECT_EQ(WithSuitableDeadline(times, seconds(29))->renew_deadline,
            seconds(20));
  PlanInputs inputs;
  inputs.p99_work = seconds(29);
  EXPECT_FALSE(Checked(inputs, 30, seconds(2)).enough);
  times.lease_duration_seconds = 2;
  EXPECT_FALSE(WithSuitableDeadline(times, Duration{0}).has_value());
}

}  // namespace
}  // namespace tenure
