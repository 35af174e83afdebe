#include "sidecar/authority/renewal_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <vector>

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LeaseTimes Default() { return *TimesForPreset("default"); }

Error Refusal(LeaseTimes times) {
  const Result<LeaseTimes> effective = EffectiveTimes(times);
  EXPECT_FALSE(effective);
  return effective ? Error{} : effective.error();
}

void ExpectThreeTriesFit(const RenewalSchedule& schedule) {
  EXPECT_LE(
      schedule.Interval() + 3 * (schedule.TryLimit() + schedule.Spacing()),
      schedule.times().renew_deadline);
  EXPECT_GE(schedule.Interval(), schedule.times().min_renew_interval);
  EXPECT_LE(schedule.Interval(), schedule.times().renew_interval);
  EXPECT_GE(schedule.TryLimit(), schedule.times().min_try_limit);
  EXPECT_LE(schedule.TryLimit(), schedule.times().max_try_limit);
}

TEST(RenewalSchedule, PresetsAreTheDesigns) {
  const auto expect = [](const char* name, int duration, Duration deadline,
                         Duration interval) {
    const LeaseTimes times = *TimesForPreset(name);
    EXPECT_EQ(times.lease_duration_seconds, duration);
    EXPECT_EQ(times.renew_deadline, deadline);
    EXPECT_EQ(times.renew_interval, interval);
    ExpectThreeTriesFit(RenewalSchedule(times, 1));
  };
  expect("fast", 3, seconds(2), milliseconds(500));
  expect("default", 15, seconds(10), seconds(2));
  expect("patient", 137, seconds(107), seconds(26));
  EXPECT_THAT(TimesForPreset("quick").error().message,
              testing::HasSubstr("quick"));
}

TEST(RenewalSchedule, TheClaimIsShorterByTheDriftAllowance) {
  LeaseTimes times = Default();
  EXPECT_EQ(ValidFor(times), milliseconds(14'850));
  EXPECT_EQ(TakeOverWait(15, 10'000), milliseconds(15'150));
  times.foreign_contenders = true;
  // 14 s x 0.99 / 1.01, never more.
  EXPECT_LE(ValidFor(times), Duration{13'722'772'277});
  EXPECT_GE(ValidFor(times), milliseconds(13'722));
}

TEST(RenewalSchedule, AnyRecordedDurationCanBeWaitedForWithoutOverflow) {
  const Duration longest =
      TakeOverWait(std::numeric_limits<std::int32_t>::max(), 200'000);
  EXPECT_GT(longest, seconds(std::numeric_limits<std::int32_t>::max()));
  EXPECT_EQ(TakeOverWait(0, 10'000), Duration{0});
}

TEST(RenewalSchedule, ImpossibleSetsAreRefusedWithTheArithmetic) {
  LeaseTimes times;
  times.renew_deadline = milliseconds(14'850);
  EXPECT_THAT(Refusal(times).message, testing::HasSubstr("14.85s"));
  times = {};
  times.lease_duration_seconds = 1;  // would read as the release form
  EXPECT_THAT(Refusal(times).message, testing::HasSubstr("released"));
}

TEST(RenewalSchedule, RefusesEachOutOfRangeSetting) {
  const auto refused = [](auto edit) {
    LeaseTimes times;
    edit(times);
    const Error error = Refusal(times);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message, testing::HasSubstr("found"));
  };
  refused([](LeaseTimes& t) { t.lease_duration_seconds = 0; });
  refused([](LeaseTimes& t) { t.lease_duration_seconds = -5; });
  refused([](LeaseTimes& t) { t.lease_duration_seconds = 8 * 24 * 3600; });
  refused([](LeaseTimes& t) { t.drift_ppm = -1; });
  refused([](LeaseTimes& t) { t.drift_ppm = 500'000; });
  refused([](LeaseTimes& t) { t.renew_interval = Duration{0}; });
  refused([](LeaseTimes& t) { t.renew_interval = seconds(9); });
  refused([](LeaseTimes& t) { t.renew_deadline = seconds(20); });
  refused([](LeaseTimes& t) { t.min_renew_interval = seconds(3); });
  refused([](LeaseTimes& t) { t.max_try_limit = seconds(5); });
  refused([](LeaseTimes& t) {
    t.min_try_limit = seconds(2);
    t.max_try_limit = seconds(1);
  });
  refused([](LeaseTimes& t) {
    t.foreign_contenders = true;
    t.renew_interval = seconds(1);
  });
}

TEST(RenewalSchedule, TakesEachSettingAtItsBound) {
  const auto taken = [](auto edit) {
    LeaseTimes times;
    edit(times);
    const Result<LeaseTimes> effective = EffectiveTimes(times);
    EXPECT_TRUE(effective) << effective.error().message;
  };
  taken([](LeaseTimes& t) {
    t.lease_duration_seconds = 2;
    t.renew_deadline = milliseconds(1'500);
    t.renew_interval = milliseconds(50);
  });
  taken([](LeaseTimes& t) { t.lease_duration_seconds = 7 * 24 * 3600; });
  taken([](LeaseTimes& t) { t.drift_ppm = 0; });
  taken([](LeaseTimes& t) { t.drift_ppm = 200'000; });
  taken([](LeaseTimes& t) { t.min_renew_interval = t.renew_interval; });
  taken([](LeaseTimes& t) { t.min_try_limit = milliseconds(50); });
  taken([](LeaseTimes& t) {
    t.min_try_limit = t.max_try_limit = milliseconds(2'000);
  });
  taken([](LeaseTimes& t) {  // 1 s + 3 x (2.5 s + 0.5 s)
    t.min_renew_interval = seconds(1);
    t.max_try_limit = milliseconds(2'500);
  });
}

TEST(RenewalSchedule, DerivesTheBoundsThatWereNotSet) {
  EXPECT_EQ(Default().min_renew_interval, seconds(1));
  EXPECT_EQ(Default().max_try_limit, milliseconds(2'500));
  EXPECT_EQ(Default().min_try_limit, milliseconds(1'250));
  EXPECT_EQ(TimesForPreset("patient")->max_try_limit, seconds(10));
}

// client-go compares times cut to whole seconds: a second less is good.
TEST(RenewalSchedule, BesideForeignContendersTheClaimIsShorterByASecond) {
  LeaseTimes times;
  times.foreign_contenders = true;
  times.renew_deadline = milliseconds(13'800);
  EXPECT_THAT(Refusal(times).message,
              testing::HasSubstr("(lease duration 15s - 1s) x (1 - 1%) / (1 + "
                                 "1%) = 13.722s"));
  times.renew_deadline = seconds(10);
  const Result<LeaseTimes> effective = EffectiveTimes(times);
  ASSERT_TRUE(effective) << effective.error().message;
  EXPECT_THAT(
      RenewalSchedule(*effective, 1).Explain(),
      testing::HasSubstr("15s less 1s and the drift of both clocks 1%"));
}

TEST(RenewalSchedule, ARefusalShowsEveryDurationWithoutAnExponent) {
  LeaseTimes times;
  times.renew_interval = Duration{1};
  EXPECT_THAT(Refusal(times).message, testing::HasSubstr("found 1ns"));
  times.renew_interval = std::chrono::microseconds(20);
  EXPECT_THAT(Refusal(times).message, testing::HasSubstr("found 20us"));
  EXPECT_THAT(
      TimesForRideOut(std::chrono::hours(1000), seconds(5), seconds(2), 10'000)
          .error()
          .message,
      testing::HasSubstr("found 1000h and 5s"));
  times = {};
  times.renew_deadline = std::chrono::hours(50) + milliseconds(65'500);
  EXPECT_THAT(Refusal(times).message, testing::HasSubstr("found 50h1m5.5s"));
}

TEST(RenewalSchedule, RideOutIsRefusedOutOfItsRange) {
  const Duration ok = seconds(4);
  const Duration day = std::chrono::hours(24);
  for (const auto& [ride_out, stop_budget] :
       {std::pair{-ok, ok}, std::pair{day + ok, ok}, std::pair{ok, -ok},
        std::pair{ok, day + ok}}) {
    const auto times = TimesForRideOut(ride_out, stop_budget, seconds(2), 0);
    ASSERT_FALSE(times);
    EXPECT_THAT(times.error().message, testing::HasSubstr("0s to 24h"));
  }
}

// The claim must outlast the renew deadline even if the work dies at once.
TEST(RenewalSchedule, RideOutLeavesAStopBudgetOfItsOwn) {
  // R comes to 12 s exactly.
  const LeaseTimes times =
      *TimesForRideOut(milliseconds(7'500), Duration{0}, seconds(2), 0);
  ASSERT_EQ(times.renew_deadline, seconds(12));
  EXPECT_EQ(times.lease_duration_seconds, 13);
  // And 4 s more make 16 s exactly, not 17.
  EXPECT_EQ(TimesForRideOut(milliseconds(7'500), seconds(4), seconds(2), 0)
                ->lease_duration_seconds,
            16);
  EXPECT_TRUE(TimesForRideOut(Duration{0}, seconds(4), seconds(2), 10'000));
}

TEST(RenewalSchedule, RideOutEndsWhereTheLongestDurationDoes) {
  const auto times = TimesForRideOut(std::chrono::hours(24),
                                     std::chrono::hours(24), seconds(2), 0);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_FALSE(TimesForRideOut(seconds(6), seconds(4),
                               std::chrono::hours(24 * 7), 10'000));
}

TEST(RenewalSchedule, AStopBudgetThatDoesNotFitInAWeekIsRefused) {
  const auto times =
      TimesForRideOut(std::chrono::hours(24), std::chrono::hours(24),
                      std::chrono::hours(24 * 5), 0);
  ASSERT_FALSE(times);
  EXPECT_THAT(times.error().message, testing::HasSubstr("168h"));
}

TEST(RenewalSchedule, RideOutIsWorthWhatItSays) {
  const LeaseTimes times =
      *TimesForRideOut(seconds(6), seconds(4), seconds(2), 10'000);
  const RenewalSchedule schedule(times, 1);
  EXPECT_GE(times.renew_deadline, seconds(6) + times.renew_interval +
                                      schedule.Spacing() + times.max_try_limit);
  EXPECT_GE(ValidFor(times) - times.renew_deadline, seconds(4));
  // Rounded up to whole seconds, not more.
  LeaseTimes shorter = times;
  --shorter.lease_duration_seconds;
  EXPECT_LT(ValidFor(shorter) - times.renew_deadline, seconds(4));
  EXPECT_FALSE(TimesForRideOut(seconds(-1), seconds(4), seconds(2), 10'000));
}

TEST(RenewalSchedule, JitterIsDownwardsByATenthAtMostAndComesFromTheSeed) {
  RenewalSchedule one(Default(), 7);
  RenewalSchedule same(Default(), 7);
  RenewalSchedule other(Default(), 8);
  std::set<Duration> seen;
  bool differs = false;
  for (int i = 0; i < 200; ++i) {
    const Duration next = one.NextRenewal();
    EXPECT_LE(next, seconds(2));
    EXPECT_GE(next, milliseconds(1800));
    EXPECT_EQ(next, same.NextRenewal());
    differs = differs || next != other.NextRenewal();
    seen.insert(next);
  }
  EXPECT_GT(seen.size(), 100U);
  EXPECT_TRUE(differs);
}

TEST(RenewalSchedule, SlowAnswersGetMorePatienceAndAnEarlierStart) {
  RenewalSchedule schedule(Default(), 1);
  const Duration quick_limit = schedule.TryLimit();
  EXPECT_EQ(schedule.Interval(), seconds(2));
  for (int i = 0; i < 128; ++i) schedule.AddRoundTrip(seconds(1));
  EXPECT_GT(schedule.TryLimit(), quick_limit);
  EXPECT_LT(schedule.Interval(), seconds(2));
  ExpectThreeTriesFit(schedule);
  for (int i = 0; i < 128; ++i) schedule.AddRoundTrip(milliseconds(5));
  EXPECT_EQ(schedule.TryLimit(), quick_limit);
  EXPECT_EQ(schedule.Interval(), seconds(2));
}

TEST(RenewalSchedule, AGivenUpTryCountsAsASlowAnswer) {
  RenewalSchedule schedule(Default(), 1);
  const Duration before = schedule.TryLimit();
  schedule.AddTimeout(before);
  EXPECT_GT(schedule.TryLimit(), before);
  EXPECT_EQ(schedule.RoundTripLast(), Duration{0});
}

TEST(RenewalSchedule, BoundsHoldForEveryMeasurement) {
  for (const char* preset : {"fast", "default", "patient"}) {
    for (std::int64_t ms = 0; ms < 200'000; ms = ms * 3 / 2 + 1) {
      RenewalSchedule schedule(*TimesForPreset(preset), 1);
      for (int i = 0; i < 3; ++i) schedule.AddRoundTrip(milliseconds(ms));
      ExpectThreeTriesFit(schedule);
    }
  }
}

TEST(RenewalSchedule, TheMarginNamesWhatIsLeftForTrouble) {
  RenewalSchedule schedule(Default(), 1);
  EXPECT_EQ(schedule.Margin(), seconds(13));
  schedule.AddRoundTrip(milliseconds(100));
  schedule.AddPause(milliseconds(50));
  EXPECT_EQ(schedule.Margin(), milliseconds(12'850));
  EXPECT_EQ(schedule.RoundTripP99(), milliseconds(100));
  EXPECT_EQ(schedule.PauseP99(), milliseconds(50));
}

TEST(RenewalSchedule, OldSamplesAreForgotten) {
  RenewalSchedule schedule(Default(), 1);
  schedule.AddRoundTrip(seconds(1));
  for (int i = 0; i < 128; ++i) schedule.AddRoundTrip(milliseconds(5));
  EXPECT_EQ(schedule.RoundTripP99(), milliseconds(5));
}

TEST(RenewalSchedule, ThePercentileIsTheNearestRankOfTheLast128) {
  RenewalSchedule schedule(Default(), 1);
  Prng prng(1);
  std::deque<Duration> last;
  for (int i = 0; i < 2000; ++i) {
    // Few values, so that the longest ones are often equal.
    last.emplace_back(prng.Below(i % 300 < 150 ? 10 : 1000));
    if (last.size() > 128) last.pop_front();
    schedule.AddRoundTrip(last.back());
    std::vector<Duration> sorted(last.begin(), last.end());
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(schedule.RoundTripP99(), sorted[(sorted.size() * 99 - 1) / 100])
        << "after sample " << i;
  }
}

TEST(RenewalSchedule, ExplainsEachDeadline) {
  const std::string text = RenewalSchedule(Default(), 1).Explain();
  for (const char* word :
       {"renew_at", "renew_by", "valid_until", "14.85s", "15.15s", "margin"}) {
    EXPECT_THAT(text, testing::HasSubstr(word));
  }
}

}  // namespace
}  // namespace tenure
