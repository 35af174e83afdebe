#include "sidecar/config/duration_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::HasSubstr;

Duration Parsed(std::string_view text) {
  const Result<Duration> value = ParseDuration(text);
  EXPECT_TRUE(value.has_value()) << text << ": " << value.error().message;
  return value.value_or(Duration{-1});
}

TEST(DurationText, UnitsAddUp) {
  EXPECT_EQ(Parsed("15s"), seconds(15));
  EXPECT_EQ(Parsed("1m30s"), seconds(90));
  EXPECT_EQ(Parsed("500ms"), milliseconds(500));
  EXPECT_EQ(Parsed("1h0m0s"), hours(1));
  EXPECT_EQ(Parsed("7us"), microseconds(7));
  EXPECT_EQ(Parsed("7\u00b5s"), microseconds(7));
  EXPECT_EQ(Parsed("3ns"), nanoseconds(3));
}

TEST(DurationText, FractionsAreExact) {
  EXPECT_EQ(Parsed("1.5h"), minutes(90));
  EXPECT_EQ(Parsed("0.25s"), milliseconds(250));
  EXPECT_EQ(Parsed("1.000000001s"), seconds(1) + nanoseconds(1));
  EXPECT_EQ(Parsed("0.5ms"), microseconds(500));
}

TEST(DurationText, ZeroNeedsNoUnit) {
  EXPECT_EQ(Parsed("0"), Duration{0});
  EXPECT_EQ(Parsed("0s"), Duration{0});
}

TEST(DurationText, ABareNumberIsRefusedWithTheUnitToAdd) {
  const Result<Duration> value = ParseDuration("15");
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(value.error().message, HasSubstr("found \"15\""));
  EXPECT_THAT(value.error().message, HasSubstr("add a unit"));
}

TEST(DurationText, NothingElseIsADuration) {
  for (const char* text : {"",
                           "s",
                           "-1s",
                           "+1s",
                           "1x",
                           "1s ",
                           " 1s",
                           "1 s",
                           "1.s",
                           ".5s",
                           "1..5s",
                           "1e3s",
                           "0x1s",
                           "1s1",
                           "1S",
                           "\xff\xfe",
                           "9223372036854775807h",
                           "99999999999999999999s",
                           "8785h",
                           "8784h1ns",
                           "8000h8000h"}) {
    EXPECT_FALSE(ParseDuration(text).has_value()) << text;
  }
}

TEST(DurationText, AnErrorIsOneLineWhateverWasFound) {
  const auto parsed = ParseDuration("1\ns\x7f");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().message, HasSubstr("found \"1?s?\""));
}

TEST(DurationText, AYearIsTheMost) {
  EXPECT_EQ(Parsed("8784h"), hours(8784));
  EXPECT_EQ(Parsed("8783.999999999h"), hours(8784) - nanoseconds(3600));
}

TEST(DurationText, WhatIsFormattedReadsBackTheSame) {
  for (const Duration value :
       {Duration{0}, Duration{1}, Duration(milliseconds(1500)),
        Duration(seconds(90)), Duration(hours(25) + nanoseconds(1001)),
        Duration(hours(8784))}) {
    EXPECT_EQ(Parsed(FormatDuration(value)), value) << FormatDuration(value);
  }
  EXPECT_EQ(FormatDuration(seconds(90)), "1m30s");
  EXPECT_EQ(FormatDuration(milliseconds(500)), "500ms");
  EXPECT_EQ(FormatDuration(Duration{0}), "0");
}

}  // namespace
}  // namespace tenure
