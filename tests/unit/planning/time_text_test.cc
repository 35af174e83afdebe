#include "sidecar/planning/time_text.h"

#include <gtest/gtest.h>

#include <chrono>

#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(TimeText, ReadsAsAPersonWouldSayIt) {
  EXPECT_EQ(TimeText(Duration{0}), "0 s");
  EXPECT_EQ(TimeText(milliseconds(500)), "500 ms");
  EXPECT_EQ(TimeText(milliseconds(15'500)), "15.5 s");
  EXPECT_EQ(TimeText(milliseconds(11'050)), "11.05 s");
  EXPECT_EQ(TimeText(seconds(119)), "119 s");
  EXPECT_EQ(TimeText(seconds(120)), "2 min");
  EXPECT_EQ(TimeText(seconds(137)), "2 min 17 s");
  EXPECT_EQ(TimeText(hours(1) + minutes(30)), "1 h 30 min");
  EXPECT_EQ(TimeText(hours(168)), "168 h");
  EXPECT_EQ(TimeText(hours(1) + seconds(5)), "1 h 5 s");
  EXPECT_EQ(TimeText(-milliseconds(1500)), "-1.5 s");
}

TEST(TimeText, RoundsToTheMillisecond) {
  EXPECT_EQ(TimeText(microseconds(499'600)), "500 ms");
  EXPECT_EQ(TimeText(microseconds(400)), "0 s");
  EXPECT_EQ(TimeText(milliseconds(119'999)), "119.999 s");
  EXPECT_EQ(TimeText(milliseconds(137'400)), "2 min 17 s");
}

TEST(FlagText, IsSecondsWhateverTheLength) {
  EXPECT_EQ(FlagText(milliseconds(11'800)), "11.8s");
  EXPECT_EQ(FlagText(seconds(107)), "107s");
  EXPECT_EQ(FlagText(hours(1)), "3600s");
  EXPECT_EQ(FlagText(milliseconds(50)), "0.05s");
}

}  // namespace
}  // namespace tenure
