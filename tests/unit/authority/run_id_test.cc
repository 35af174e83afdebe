#include "sidecar/authority/run_id.h"

#include <gtest/gtest.h>

#include <compare>
#include <string>

namespace tenure {
namespace {

constexpr auto kNewer = std::strong_ordering::greater;
constexpr auto kOlder = std::strong_ordering::less;
constexpr auto kSame = std::strong_ordering::equal;

TEST(RunId, NumbersAreComparedFromTheLeftWhereAllElseIsEqual) {
  EXPECT_EQ(CompareRunIds("bill-29301120", "bill-29301119"), kNewer);
  EXPECT_EQ(CompareRunIds("bill-9", "bill-10"), kOlder);
  EXPECT_EQ(CompareRunIds("bill:2026-11-29", "bill:2026-12-01"), kOlder);
  EXPECT_EQ(CompareRunIds("bill:2027-W01", "bill:2026-W48"), kNewer);
  EXPECT_EQ(CompareRunIds("bill-007", "bill-7"), kSame);
  EXPECT_EQ(CompareRunIds("7", "8"), kOlder);
  const std::string vast(200, '9');
  EXPECT_EQ(CompareRunIds(vast + "1", vast), kNewer);
}

TEST(RunId, WhatDiffersElsewhereOrHasNoNumberCannotBeCompared) {
  EXPECT_FALSE(CompareRunIds("bill-1", "ship-2"));
  EXPECT_FALSE(CompareRunIds("bill-1", "bill-1-2"));
  EXPECT_FALSE(CompareRunIds("bill-1", "bill-"));
  EXPECT_FALSE(CompareRunIds("bill-x", "bill-x"));
  EXPECT_FALSE(CompareRunIds("", ""));
  EXPECT_FALSE(CompareRunIds("1", ""));
}

TEST(RunId, TheSameIsDoneAnOlderOneIsNotNewer) {
  const LastRun last{"bill-20", "bill-20"};
  EXPECT_EQ(JudgeRun("bill-20", last), RunVerdict::kDone);
  EXPECT_EQ(JudgeRun("bill-19", last), RunVerdict::kNotNewer);
  EXPECT_EQ(JudgeRun("bill-020", last), RunVerdict::kNotNewer);
  EXPECT_EQ(JudgeRun("bill-21", last), RunVerdict::kNew);
  EXPECT_EQ(JudgeRun("by-hand", last), RunVerdict::kNew);
  EXPECT_EQ(JudgeRun("bill-1", LastRun{}), RunVerdict::kNew);
}

TEST(RunId, ARunByHandDoesNotForgetTheOrder) {
  LastRun last = AfterRun("bill-20", LastRun{});
  last = AfterRun("by-hand", last);
  EXPECT_EQ(last, (LastRun{"by-hand", "bill-20"}));
  EXPECT_EQ(JudgeRun("by-hand", last), RunVerdict::kDone);
  EXPECT_EQ(JudgeRun("bill-20", last), RunVerdict::kDone);
  EXPECT_EQ(JudgeRun("bill-19", last), RunVerdict::kNotNewer);
  last = AfterRun("bill-21", last);
  EXPECT_EQ(last, (LastRun{"bill-21", "bill-21"}));
}

TEST(RunId, AnotherWayOfNamingTakesOverWithItsSecondRun) {
  LastRun last = AfterRun("ship-1", AfterRun("bill-20", LastRun{}));
  EXPECT_EQ(JudgeRun("ship-0", last), RunVerdict::kNotNewer);
  last = AfterRun("ship-2", last);
  EXPECT_EQ(last, (LastRun{"ship-2", "ship-2"}));
}

TEST(RunId, MustBePrintableAndShort) {
  EXPECT_TRUE(CheckRunId("billing:2026-11-29"));
  EXPECT_TRUE(CheckRunId(std::string(253, 'x')));
  for (const std::string& id :
       {std::string(), std::string(254, 'x'), std::string("a b"),
        std::string("a\n"), std::string("a\x7f"), std::string("a\0b", 3),
        std::string("\xc3\xa9")}) {
    EXPECT_FALSE(CheckRunId(id)) << id;
  }
}

}  // namespace
}  // namespace tenure
