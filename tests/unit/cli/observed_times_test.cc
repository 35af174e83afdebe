#include "sidecar/cli/observed_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr char kStatus[] =
    R"({"durationsMs":{"lease":15000,"renewDeadline":10000,
                       "renewInterval":2000},
        "roundTripMs":{"last":3.1,"p99":250.5},"marginMs":12700})";

TEST(ObservedTimes, ThePauseIsWhatTheMarginLacks) {
  const Result<ObservedTimes> times = ReadObservedTimes(kStatus);
  ASSERT_TRUE(times.has_value()) << times.error().message;
  EXPECT_EQ(times->lease_duration, seconds(15));
  EXPECT_EQ(times->renew_deadline, seconds(10));
  EXPECT_EQ(times->renew_interval, seconds(2));
  EXPECT_EQ(times->round_trip_p99, microseconds(250'500));
  // 15000 - 2000 - 12700 - 250.5
  EXPECT_EQ(times->pause_p99, microseconds(49'500));
}

TEST(ObservedTimes, AMarginThatWasRoundedMakesNoNegativePause) {
  const Result<ObservedTimes> times = ReadObservedTimes(
      R"({"durationsMs":{"lease":3000,"renewDeadline":2000,
                         "renewInterval":500},
          "roundTripMs":{"p99":1},"marginMs":2500})");
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->pause_p99, Duration{0});
}

TEST(ObservedTimes, OfSeveralLeasesOneIsToBeNamed) {
  const std::string one = kStatus;
  EXPECT_TRUE(ReadObservedTimes("{\"leases\":[" + one + "]}").has_value());
  const Result<ObservedTimes> both =
      ReadObservedTimes("{\"leases\":[" + one + "," + one + "]}");
  ASSERT_FALSE(both.has_value());
  EXPECT_THAT(both.error().message, HasSubstr("--lease"));
}

TEST(ObservedTimes, AnythingElseIsRefused) {
  for (const char* text :
       {"", "{", "[]", "7", "{}", R"({"leases":[]})", R"({"leases":[1]})",
        R"({"leases":{}})", R"({"durationsMs":1,"roundTripMs":2})",
        R"({"durationsMs":{"lease":"x","renewDeadline":1,"renewInterval":1},
            "roundTripMs":{"p99":1},"marginMs":1})",
        R"({"durationsMs":{"lease":1e300,"renewDeadline":1,
                           "renewInterval":1},
            "roundTripMs":{"p99":1},"marginMs":1})",
        "\xff"}) {
    EXPECT_FALSE(ReadObservedTimes(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tenure
