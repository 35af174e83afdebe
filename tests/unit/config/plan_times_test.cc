#include "sidecar/config/plan_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/instant.h"
#include "sidecar/config/settings.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

LeaseTimes Planned(const Settings& settings) {
  const auto times = PlanTimes(settings, {});
  EXPECT_TRUE(times.has_value()) << times.error().front();
  return times.value_or(LeaseTimes{});
}

TEST(PlanTimes, DefaultIsThatOfClientGo) {
  const LeaseTimes times = Planned({});
  EXPECT_EQ(times.lease_duration_seconds, 15);
  EXPECT_EQ(times.renew_deadline, seconds(10));
  EXPECT_EQ(times.renew_interval, seconds(2));
  EXPECT_EQ(times.drift_ppm, 10'000);
}

TEST(PlanTimes, APresetGivesWayToWhatIsSetAlone) {
  Settings settings;
  settings.preset = "fast";
  settings.lease_duration = seconds(4);
  const LeaseTimes times = Planned(settings);
  EXPECT_EQ(times.lease_duration_seconds, 4);
  EXPECT_EQ(times.renew_deadline, seconds(2));
  EXPECT_EQ(times.renew_interval, milliseconds(500));
}

TEST(PlanTimes, RideOutLeavesTheStopBudget) {
  Settings settings;
  settings.ride_out = seconds(30);
  settings.stop_budget = seconds(8);
  const LeaseTimes times = Planned(settings);
  EXPECT_GE(times.renew_deadline, seconds(32));
  EXPECT_GE(ValidFor(times) - times.renew_deadline, seconds(8));
  EXPECT_LT(ValidFor(times) - times.renew_deadline, seconds(10));
}

TEST(PlanTimes, TheStopBudgetIsKeptBesideForeignContenders) {
  Settings settings;
  settings.ride_out = seconds(30);
  settings.foreign_contenders = true;
  const LeaseTimes times = Planned(settings);
  EXPECT_TRUE(times.foreign_contenders);
  EXPECT_GE(ValidFor(times) - times.renew_deadline, seconds(5));
}

TEST(PlanTimes, AStopBudgetAloneLengthensTheLease) {
  Settings settings;
  settings.stop_budget = seconds(20);
  EXPECT_EQ(Planned(settings).lease_duration_seconds, 31);
}

TEST(PlanTimes, AStopBudgetThatDoesNotFitIsRefusedWithTheArithmetic) {
  Settings settings;
  settings.stop_budget = seconds(8);
  settings.lease_duration = seconds(15);
  const auto times = PlanTimes(settings, {});
  ASSERT_FALSE(times.has_value());
  EXPECT_THAT(times.error(),
              ElementsAre("stop-budget: expected to fit between the renew "
                          "deadline and the end of the claim: 14s850ms - 10s = "
                          "4s850ms, found 8s; raise lease-duration to 19s"));
}

TEST(PlanTimes, ImpossibleSetsAreRefusedWithTheArithmetic) {
  Settings settings;
  settings.lease_duration = seconds(10);
  const auto times = PlanTimes(settings, {});
  ASSERT_FALSE(times.has_value());
  EXPECT_THAT(times.error(), ElementsAre(HasSubstr("9.9s")));
}

TEST(PlanTimes, ProblemsNameThePlacesTheyComeFrom) {
  Settings settings;
  settings.lease_duration = seconds(10);
  settings.renew_deadline = seconds(12);
  const auto times =
      PlanTimes(settings, {{"renew-deadline", "--renew-deadline"},
                           {"lease-duration", "t.yaml:3:16 leaseDuration"},
                           {"lease", "--lease"}});
  ASSERT_FALSE(times.has_value());
  EXPECT_THAT(
      times.error(),
      ElementsAre(StartsWith("t.yaml:3:16 leaseDuration, --renew-deadline: ")));
}

TEST(PlanTimes, APartOfASecondIsNoLeaseDuration) {
  for (const Duration value :
       {Duration(milliseconds(2500)), Duration(std::chrono::hours(169))}) {
    Settings settings;
    settings.lease_duration = value;
    const auto times = PlanTimes(settings, {});
    ASSERT_FALSE(times.has_value());
    EXPECT_THAT(times.error(), ElementsAre(HasSubstr("whole seconds")));
  }
}

TEST(PlanTimes, PresetAndRideOutExcludeEachOther) {
  Settings settings;
  settings.ride_out = seconds(30);
  EXPECT_TRUE(PlanTimes(settings, {}).has_value());
  const auto times = PlanTimes(settings, {{"preset", "--preset"}});
  ASSERT_FALSE(times.has_value());
  EXPECT_THAT(times.error(), ElementsAre(HasSubstr("drop one of the two")));
}

}  // namespace
}  // namespace tenure
