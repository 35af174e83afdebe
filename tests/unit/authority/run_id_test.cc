#include "sidecar/authority/run_id.h"

#include <gtest/gtest.h>

#include <compare>
#include <string>

namespace tenure {
namespace {

constexpr auto kNewer = std::strong_ordering::greater;
constexpr auto kOlder = std::strong_ordering::less;
constexpr auto kSame = std::strong_ordering::equal;

TEST(RunId, TwoStartsOfOneRunAreToldApart) {
  const WorkRun one = NewWorkRun("bill-20", Entropy{1, 2});
  EXPECT_EQ(one.id, "bill-20");
  EXPECT_EQ(one, NewWorkRun("bill-20", Entropy{1, 2}));
  EXPECT_NE(one, NewWorkRun("bill-20", Entropy{1, 3}));
  EXPECT_NE(one, NewWorkRun("bill-20", Entropy{12, 2}));
  EXPECT_EQ(NewWorkRun("", Entropy{1, 2}), WorkRun{});
}

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

TEST(RunId, RunsByHandWithNumbersDoNotForgetTheOrderEither) {
  LastRun last = AfterRun("bill:2026-11-29", LastRun{});
  last = AfterRun("by-hand-1", last);
  last = AfterRun("by-hand-2", last);
  EXPECT_EQ(last, (LastRun{"by-hand-2", "by-hand-2 bill:2026-11-29"}));
  EXPECT_EQ(JudgeRun("bill:2026-11-29", last), RunVerdict::kDone);
  EXPECT_EQ(JudgeRun("bill:2026-11-28", last), RunVerdict::kNotNewer);
  EXPECT_EQ(NewestLike("bill:2026-11-28", last), "bill:2026-11-29");
  EXPECT_EQ(JudgeRun("by-hand-1", last), RunVerdict::kNotNewer);
  EXPECT_EQ(NewestLike("by-hand-1", last), "by-hand-2");
  EXPECT_EQ(JudgeRun("bill:2026-11-30", last), RunVerdict::kNew);
  EXPECT_EQ(NewestLike("ship-1", last), "");
}

TEST(RunId, TheSeriesThatWasQuietForLongestIsForgottenFirst) {
  LastRun last = AfterRun("bill-1", LastRun{});
  for (char name = 'a'; name < 'a' + 7; ++name) {
    last = AfterRun(std::string(1, name) + "-1", last);
  }
  EXPECT_EQ(JudgeRun("bill-1", last), RunVerdict::kDone);
  EXPECT_TRUE(IsRunOrder(last.order));
  last = AfterRun("h-1", last);
  EXPECT_EQ(JudgeRun("bill-1", last), RunVerdict::kNew);
  EXPECT_TRUE(IsRunOrder(last.order));
  EXPECT_FALSE(IsRunOrder(last.order + " i-1"));
  EXPECT_FALSE(IsRunOrder("a-1  b-1"));
  EXPECT_FALSE(IsRunOrder("a-\n1"));
  EXPECT_TRUE(IsRunOrder(""));
}

// As an older version or a person may have left it.
TEST(RunId, TheLastIsComparedEvenIfItIsInNoSeries) {
  EXPECT_EQ(JudgeRun("bill-1", LastRun{"bill-2", ""}), RunVerdict::kNotNewer);
  EXPECT_EQ(NewestLike("bill-1", LastRun{"bill-2", ""}), "bill-2");
}

TEST(RunId, MustBePrintableAndShort) {
  EXPECT_TRUE(CheckRunId("billing:2026-11-29"));
  EXPECT_TRUE(CheckRunId("!~"));
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
