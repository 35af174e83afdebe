#include "sidecar/embedded/lease_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sidecar/base/rfc3339.h"
#include "sidecar/embedded/lease_object.h"

namespace tenure::embedded {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(LeaseTimeTest, MicroTimeWithSixDigitsRoundTrips) {
  const auto time = ParseMicroTime("2026-11-29T20:48:00.123456Z");
  ASSERT_TRUE(time) << time.error();
  EXPECT_EQ(time->since_epoch.count(), 1795985280123456);
  EXPECT_EQ(FormatMicroTime(*time), "2026-11-29T20:48:00.123456Z");
}

TEST(LeaseTimeTest, OffsetsBecomeUtc) {
  const auto time = ParseMicroTime("2026-11-29T20:48:00.123456+02:00");
  ASSERT_TRUE(time) << time.error();
  EXPECT_EQ(FormatMicroTime(*time), "2026-11-29T18:48:00.123456Z");
}

TEST(LeaseTimeTest, GoAcceptsACommaAndAOneDigitHour) {
  EXPECT_EQ(FormatMicroTime(*ParseMicroTime("2026-11-29T3:48:00,123456Z")),
            "2026-11-29T03:48:00.123456Z");
}

struct BadTime {
  const char* text;
  const char* complaint;
};

class BadMicroTimeTest : public ::testing::TestWithParam<BadTime> {};

TEST_P(BadMicroTimeTest, IsRefusedInGosWords) {
  const auto time = ParseMicroTime(GetParam().text);
  ASSERT_FALSE(time);
  EXPECT_THAT(time.error(), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMicroTimeTest,
    ::testing::Values(
        BadTime{"2026-11-29T20:48:00.123Z", "cannot parse \".123Z\""},
        BadTime{"2026-11-29T20:48:00Z", "cannot parse \"Z\" as \".000000\""},
        BadTime{"2026-11-29T20:48:00.123456789Z", "cannot parse \"789Z\""},
        BadTime{"2026-11-29T20:48:00.123456z", "as \"Z07:00\""},
        BadTime{"2026-13-29T20:48:00.123456Z", "month out of range"},
        BadTime{"2026-02-30T20:48:00.123456Z", "day out of range"},
        BadTime{"2026-11-29T24:48:00.123456Z", "hour out of range"},
        BadTime{"2026-11-29T20:60:00.123456Z", "minute out of range"},
        BadTime{"2026-11-29T20:48:60.123456Z", "second out of range"},
        BadTime{"2026-11-29T20:48:00.123456+99:00", "offset hour"},
        BadTime{"2026-11-29T20:48:00.123456Zx", "extra text"},
        BadTime{"2026-11-29 20:48:00.123456Z", "as \"T\""},
        BadTime{"", "cannot parse \"\" as \"2006\""}));

TEST(LeaseTimeTest, WholeSecondsMayCarryAFractionThatIsNotPrinted) {
  const auto time = ParseSecondsTime("2026-11-29T20:48:00.5Z");
  ASSERT_TRUE(time) << time.error();
  EXPECT_EQ(FormatSecondsTime(*time), "2026-11-29T20:48:00Z");
}

TEST(LeaseTimeTest, YearOneIsTheZeroTime) {
  EXPECT_EQ(*ParseMicroTime("0001-01-01T00:00:00.000000Z"), kZeroTime);
}

TEST(LeaseTimeTest, GoDurationsAreUnderstood) {
  EXPECT_EQ(*ParseGoDuration("1.5s"), std::chrono::milliseconds(1500));
  EXPECT_EQ(*ParseGoDuration("1m30s"), seconds(90));
  EXPECT_EQ(*ParseGoDuration("-2h"), -seconds(7200));
  EXPECT_EQ(*ParseGoDuration("0"), seconds(0));
  EXPECT_EQ(*ParseGoDuration("3µs"), std::chrono::microseconds(3));
}

TEST(LeaseTimeTest, BadGoDurationsAreRefusedInGosWords) {
  EXPECT_THAT(ParseGoDuration("abc").error(), HasSubstr("invalid duration"));
  EXPECT_THAT(ParseGoDuration("").error(), HasSubstr("invalid duration"));
  EXPECT_THAT(ParseGoDuration("5").error(), HasSubstr("missing unit"));
  EXPECT_THAT(ParseGoDuration("5d").error(), HasSubstr("unknown unit"));
  EXPECT_THAT(ParseGoDuration(".s").error(), HasSubstr("invalid duration"));
  EXPECT_THAT(ParseGoDuration("99999999999h").error(),
              HasSubstr("invalid duration"));
}

TEST(LeaseTimeTest, AgesPrintAsKubectlPrintsThem) {
  EXPECT_EQ(FormatAge(seconds(-1)), "0s");
  EXPECT_EQ(FormatAge(seconds(119)), "119s");
  EXPECT_EQ(FormatAge(seconds(120)), "2m");
  EXPECT_EQ(FormatAge(seconds(236)), "3m56s");
  EXPECT_EQ(FormatAge(seconds(3600)), "60m");
  EXPECT_EQ(FormatAge(seconds(4 * 3600 + 300)), "4h5m");
  EXPECT_EQ(FormatAge(seconds(47 * 3600)), "47h");
  EXPECT_EQ(FormatAge(seconds(50 * 3600)), "2d2h");
  EXPECT_EQ(FormatAge(seconds(100 * 86400)), "100d");
  EXPECT_EQ(FormatAge(seconds(800LL * 86400)), "2y70d");
  EXPECT_EQ(FormatAge(seconds(9LL * 365 * 86400)), "9y");
}

}  // namespace
}  // namespace tenure::embedded
