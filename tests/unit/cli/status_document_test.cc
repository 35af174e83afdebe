#include "sidecar/cli/status_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

StatusSummary Read(const char* json, Duration since_asked = Duration{0}) {
  const Result<StatusSummary> summary = ReadStatusDocument(json, since_asked);
  EXPECT_TRUE(summary.has_value()) << json;
  return summary.value_or(StatusSummary{});
}

TEST(StatusDocument, HeldShowsGenerationAndTimeLeft) {
  const StatusSummary held =
      Read(R"({"lease":"a","namespace":"n","certainty":"held",
               "generation":"7","remainingMs":{"toRenewBy":42},
               "draining":true})");
  EXPECT_EQ(held.text, "n/a: held, generation 7 for 42 ms, draining\n");
  EXPECT_EQ(held.exit_code, 0);
}

constexpr char kHeldForThreeSeconds[] =
    R"({"lease":"a","namespace":"n","certainty":"held","generation":"7",)"
    R"("remainingMs":{"toRenewBy":3000,"toValidUntil":4000}})";

TEST(StatusDocument, WhatRemainsCountsFromBeforeAsking) {
  const StatusSummary soon = Read(kHeldForThreeSeconds, milliseconds(1000));
  EXPECT_EQ(soon.text, "n/a: held, generation 7 for 2000 ms\n");
  EXPECT_EQ(soon.generation, "7");
  EXPECT_THAT(soon.json,
              HasSubstr(R"({"toRenewBy":2000,"toValidUntil":3000})"));
}

TEST(StatusDocument, AnAnswerThatCameTooLateIsUncertain) {
  for (const Duration late : {Duration(milliseconds(3000)),
                              Duration(Duration{1} + milliseconds(2999)),
                              Duration(milliseconds(9000)), Duration::max()}) {
    const StatusSummary summary = Read(kHeldForThreeSeconds, late);
    EXPECT_EQ(summary.exit_code, 2);
    EXPECT_EQ(summary.text, "n/a: uncertain, renewBy\n");
    EXPECT_EQ(summary.generation, "");
    EXPECT_THAT(summary.json, AllOf(HasSubstr(R"("certainty":"uncertain")"),
                                    HasSubstr(R"("toRenewBy":0)"),
                                    Not(HasSubstr("generation"))));
  }
  EXPECT_EQ(Read(R"({"leases":[{"lease":"a","certainty":"held",
                     "generation":"7","remainingMs":{"toRenewBy":5}}]})",
                 milliseconds(6))
                .exit_code,
            2);
}

TEST(StatusDocument, HeldWithoutATimeOrAGenerationIsUncertain) {
  EXPECT_EQ(Read(R"({"certainty":"held","generation":"7"})").exit_code, 2);
  EXPECT_EQ(
      Read(R"({"certainty":"held","remainingMs":{"toRenewBy":5}})").exit_code,
      2);
}

TEST(StatusDocument, StandbyNamesTheHolder) {
  const StatusSummary standby =
      Read(R"({"lease":"a","namespace":"n","certainty":"standby",
               "holder":"h","holderGeneration":"7"})");
  EXPECT_EQ(standby.text, "n/a: standby, held by h, generation 7\n");
  EXPECT_EQ(standby.exit_code, 1);
  EXPECT_EQ(Read(R"({"lease":"a","namespace":"n","certainty":"standby",
                     "holder":"","refusal":"why"})")
                .text,
            "n/a: standby, nobody holds it; why\n");
}

TEST(StatusDocument, UncertainSaysWhy) {
  const StatusSummary uncertain =
      Read(R"({"lease":"a","namespace":"n","certainty":"uncertain",
               "reason":"renewBy"})");
  EXPECT_EQ(uncertain.text, "n/a: uncertain, renewBy\n");
  EXPECT_EQ(uncertain.exit_code, 2);
}

TEST(StatusDocument, OfSeveralTheHighestCodeCounts) {
  const StatusSummary both =
      Read(R"({"leases":[{"lease":"a","certainty":"standby"},
                         {"lease":"b","certainty":"held","generation":"7",
                          "remainingMs":{"toRenewBy":42}}]})");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_EQ(both.text,
            "/a: standby, nobody holds it\n/b: held, generation 7 for 42 ms\n");
}

TEST(StatusDocument, OfSlotsOneThatIsHeldIsEnough) {
  const std::string held =
      R"({"slot":true,"certainty":"held","generation":"7",
          "remainingMs":{"toRenewBy":42}})";
  const std::string standby = R"({"slot":true,"certainty":"standby"})";
  const std::string both = "{\"leases\":[" + standby + "," + held + "]}";
  EXPECT_EQ(Read(both.c_str()).exit_code, 0);
  const std::string neither = "{\"leases\":[" + standby + "]}";
  EXPECT_EQ(Read(neither.c_str()).exit_code, 1);
}

TEST(StatusDocument, NothingInItSteersTheTerminal) {
  EXPECT_EQ(Read(R"({"lease":"a","namespace":"n","certainty":"standby",
                     "holder":"\u001b[2J\n\u00e4"})")
                .text,
            "n/a: standby, held by ?[2J???\n");
}

TEST(StatusDocument, AnythingElseIsRefused) {
  for (const char* text :
       {"", "{", "[]", "7", "{}", R"({"leases":[]})", R"({"leases":[1]})",
        R"({"leases":{"a":1}})", "null", "\xff"}) {
    EXPECT_FALSE(ReadStatusDocument(text, Duration{0}).has_value()) << text;
  }
  EXPECT_EQ(Read(R"({"certainty":7,"draining":1,"remainingMs":[]})").exit_code,
            2);
}

}  // namespace
}  // namespace tenure
