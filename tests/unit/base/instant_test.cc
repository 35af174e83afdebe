#include "sidecar/base/instant.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr Instant kFrom{seconds(100), seconds(90)};

// Suspension: only the boot clock ran. A slewed boot clock: the raw one ran
// further.
struct Reading {
  Duration boot;
  Duration raw;
};
constexpr Reading kSuspended{seconds(30), seconds(2)};
constexpr Reading kSlewed{milliseconds(9'500), seconds(10)};

Instant After(const Reading& by) {
  return Instant{kFrom.boot + by.boot, kFrom.raw + by.raw};
}

TEST(Instant, AHolderCountsTheReadingThatRanFurther) {
  EXPECT_EQ(LongestElapsed(kFrom, After(kSuspended)), seconds(30));
  EXPECT_EQ(LongestElapsed(kFrom, After(kSlewed)), seconds(10));
}

TEST(Instant, AContenderCountsTheReadingThatRanLess) {
  EXPECT_EQ(ShortestElapsed(kFrom, After(kSuspended)), seconds(2));
  EXPECT_EQ(ShortestElapsed(kFrom, After(kSlewed)), milliseconds(9'500));
}

TEST(Instant, ElapsedTimeIsNeverNegative) {
  const Instant earlier{kFrom.boot - nanoseconds(1), kFrom.raw - hours(1)};
  EXPECT_EQ(LongestElapsed(kFrom, earlier), Duration{0});
  EXPECT_EQ(ShortestElapsed(kFrom, earlier), Duration{0});
}

TEST(Instant, OneReadingThatWentBackCountsForTheHolderAsNotAtAll) {
  const Instant odd{kFrom.boot - seconds(5), kFrom.raw + seconds(1)};
  EXPECT_EQ(LongestElapsed(kFrom, odd), seconds(1));
  EXPECT_EQ(ShortestElapsed(kFrom, odd), Duration{0});
}

TEST(Instant, NoTimeAtAllIsZeroForBoth) {
  EXPECT_EQ(LongestElapsed(kFrom, kFrom), Duration{0});
  EXPECT_EQ(ShortestElapsed(kFrom, kFrom), Duration{0});
}

// An instant that was never set is the machine's start; nothing is measured
// from anything older.
TEST(Instant, ALifetimeIsMeasuredWithoutOverflow) {
  const Instant old{hours(24 * 365 * 200), hours(24 * 365 * 200)};
  EXPECT_EQ(LongestElapsed(Instant{}, old), hours(24 * 365 * 200));
  EXPECT_EQ(ShortestElapsed(Instant{}, old), hours(24 * 365 * 200));
}

TEST(Instant, TwoAreEqualOnlyInBothReadings) {
  EXPECT_EQ(kFrom, (Instant{kFrom.boot, kFrom.raw}));
  EXPECT_NE(kFrom, (Instant{kFrom.boot, kFrom.raw + nanoseconds(1)}));
  EXPECT_NE(kFrom, (Instant{kFrom.boot + nanoseconds(1), kFrom.raw}));
}

Moment At(Duration boot, microseconds wall) {
  Moment moment;
  moment.instant = Instant{boot, boot};
  moment.wall.since_epoch = wall;
  return moment;
}

TEST(WallAhead, IsWhatTheWallClockRanBeyondTheBootClock) {
  const Moment from = At(seconds(10), seconds(1'000));
  EXPECT_EQ(WallAhead(from, At(seconds(11), seconds(1'001))), Duration{0});
  EXPECT_EQ(WallAhead(from, At(seconds(11), seconds(1'004))), seconds(3));
  // A leap second.
  EXPECT_EQ(WallAhead(from, At(seconds(11), seconds(1'000))), -seconds(1));
}

TEST(WallAhead, AWallClockSetFromTheEpochToNowIsMeasured) {
  const Moment unset = At(seconds(5), microseconds{0});
  const Moment set = At(seconds(6), hours(24 * 365 * 260));
  EXPECT_EQ(WallAhead(unset, set), hours(24 * 365 * 260) - seconds(1));
  EXPECT_EQ(WallAhead(set, unset), -hours(24 * 365 * 260) + seconds(1));
}

TEST(WallTime, IsOrdered) {
  EXPECT_LT(WallTime{microseconds{-1}}, WallTime{});
  EXPECT_EQ(WallTime{}, WallTime{microseconds{0}});
}

}  // namespace
}  // namespace tenure
