#include "sidecar/cli/status_document.h"

#include <gtest/gtest.h>

#include "sidecar/base/error.h"

namespace tenure {
namespace {

StatusSummary Read(const char* json) {
  const Result<StatusSummary> summary = ReadStatusDocument(json);
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
                         {"lease":"b","certainty":"held"}]})");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_EQ(both.text, "/a: standby, nobody holds it\n/b: held, generation \n");
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
    EXPECT_FALSE(ReadStatusDocument(text).has_value()) << text;
  }
  EXPECT_EQ(Read(R"({"certainty":7,"draining":1,"remainingMs":[]})").exit_code,
            2);
}

}  // namespace
}  // namespace tenure
