#include "sidecar/gate/report.h"

#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

using std::chrono::milliseconds;

const Instant kAsked{std::chrono::hours(3), std::chrono::hours(1)};

TEST(Report, ReadsWhatTheSidecarServes) {
  const auto report = ReadReport(
      R"({"lease":"demo","namespace":"jobs","identity":"a_1_2",
          "certainty":"held","generation":"41",
          "remainingMs":{"toRenewBy":1990,"toValidUntil":2960},
          "draining":true,"runsUnderWay":["b-3",7],"lastRun":{"id":"b-2","order":"b-1"},
          "holder":"a_1_2","holderGeneration":"41",
          "durationsMs":{"lease":3000,"tryLimit":250,"takeOver":3030}})",
      kAsked);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->asked, kAsked);
  EXPECT_EQ(report->certainty, Certainty::kHeld);
  EXPECT_EQ(report->generation, 41);
  EXPECT_EQ(report->to_renew_by, milliseconds(1990));
  EXPECT_EQ(report->to_valid_until, milliseconds(2960));
  EXPECT_EQ(report->try_limit, milliseconds(250));
  EXPECT_EQ(report->take_over, milliseconds(3030));
  EXPECT_TRUE(report->draining);
  EXPECT_EQ(report->last_run, (LastRun{"b-2", "b-1"}));
  EXPECT_EQ(report->runs_under_way, std::vector<std::string>{"b-3"});
  EXPECT_EQ(report->identity, "a_1_2");
  EXPECT_FALSE(report->slot);
}

TEST(Report, TellsWhetherAnotherSlotWouldDo) {
  const auto report = ReadReport(
      R"({"lease":"demo-1","slot":true,"certainty":"standby"})", kAsked);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->slot);
  EXPECT_EQ(report->lease, "demo-1");
}

TEST(Report, ReadsTheAnswerToWorkWhichHasLess) {
  const auto report = ReadReport(
      R"({"lease":"demo","certainty":"held","generation":"41",
          "remainingMs":{"toRenewBy":5,"toValidUntil":6},
          "draining":false,"workRunning":1})",
      kAsked);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->to_valid_until, milliseconds(6));
}

TEST(Report, TellsWhetherRbacRefused) {
  const std::string before = R"({"certainty":"standby","refusal":"why",)";
  EXPECT_TRUE(ReadReport(before + R"("refusalReason":"forbidden"})", kAsked)
                  ->forbidden);
  EXPECT_FALSE(ReadReport(before + R"("refusalReason":"generation"})", kAsked)
                   ->forbidden);
}

TEST(Report, WhatIsMissingOrMalformedIsNothingLeft) {
  for (const char* remaining :
       {"null", "[]", "{}", R"({"toRenewBy":"5"})", R"({"toRenewBy":-5})",
        R"({"toRenewBy":1e300})"}) {
    const auto report =
        ReadReport(std::string(R"({"certainty":"held","generation":"4",)") +
                       R"("remainingMs":)" + remaining + "}",
                   kAsked);
    ASSERT_TRUE(report) << remaining;
    EXPECT_EQ(report->to_renew_by, Duration{0}) << remaining;
  }
}

TEST(Report, ARefusalIsReadFromJsonOrText) {
  EXPECT_EQ(ReadError(R"({"error":"no lease \"c\" here"})"),
            "no lease \"c\" here");
  EXPECT_EQ(ReadError("draining\nmore"), "draining");
  EXPECT_EQ(ReadError("{}"), "{}");
  EXPECT_EQ(ReadError(""), "");
}

TEST(Report, RefusesWhatIsNoStatusOfOneLease) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"leases":[]})", R"({"certainty":"perhaps"})",
        R"({"certainty":"held"})", R"({"certainty":"held","generation":"x"})",
        R"({"certainty":"held","generation":"-1"})",
        R"({"certainty":"held","generation":"99999999999999999999"})"}) {
    EXPECT_FALSE(ReadReport(text, kAsked)) << text;
  }
}

}  // namespace
}  // namespace tenure
