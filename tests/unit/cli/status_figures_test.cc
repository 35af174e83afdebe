#include "sidecar/cli/status_figures.h"

#include <gtest/gtest.h>

#include <chrono>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(StatusFigures, ReadsWhatASidecarServes) {
  const Result<StatusFigures> figures = ReadStatusFigures(
      R"({"lease":"job","namespace":"default","identity":"a","holder":"a",
          "certainty":"held","generation":"7","draining":false,
          "workRunning":true,
          "remainingMs":{"toRenewBy":9000,"toValidUntil":13850},
          "durationsMs":{"lease":15000,"renewDeadline":10000},
          "roundTripMs":{"last":1.25,"p99":3},"marginMs":12000,
          "renewals":118})");
  ASSERT_TRUE(figures.has_value()) << figures.error().message;
  EXPECT_EQ(figures->lease, "default/job");
  EXPECT_EQ(figures->certainty, "held");
  EXPECT_EQ(figures->generation, "7");
  EXPECT_TRUE(figures->work_running);
  EXPECT_FALSE(figures->draining);
  EXPECT_EQ(figures->to_renew_by, seconds(9));
  EXPECT_EQ(figures->to_valid_until, milliseconds(13'850));
  EXPECT_EQ(figures->lease_duration, seconds(15));
  EXPECT_EQ(figures->round_trip_last, microseconds(1250));
  EXPECT_EQ(figures->margin, seconds(12));
  EXPECT_EQ(figures->renewals, 118);
}

TEST(StatusFigures, NothingInThemSteersTheTerminal) {
  EXPECT_EQ(ReadStatusFigures(
                R"({"certainty":"standby","holder":"\u001b[2J\n\u00e4"})")
                ->holder,
            "?[2J???");
}

TEST(StatusFigures, AnythingElseIsRefusedOrLeftEmpty) {
  for (const char* text : {"", "{", "[]", "{}", R"({"certainty":7})",
                           R"({"leases":[]})", "\xff"}) {
    EXPECT_FALSE(ReadStatusFigures(text).has_value()) << text;
  }
  const Result<StatusFigures> odd = ReadStatusFigures(
      R"({"certainty":"held","remainingMs":7,"marginMs":1e300,
          "renewals":"x","draining":"yes","roundTripMs":{"last":[]}})");
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->to_renew_by, Duration{0});
  EXPECT_EQ(odd->margin, Duration{0});
  EXPECT_EQ(odd->renewals, 0);
}

}  // namespace
}  // namespace tenure
