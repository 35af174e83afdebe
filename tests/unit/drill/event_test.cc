#include "sidecar/drill/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/drill/story.h"

namespace tenure {
namespace {

TEST(DrillEvent, ComesBackFromItsLine) {
  DrillEvent event =
      story::Asked(1500, "two", 9, "two-9-1", StoreOutcome::kRefused, 12)[1];
  event.pid = 77;
  event.before = story::At(3);
  event.text = "a \"quoted\"\nline";
  const std::string line = EventLine(event);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = ReadEventLine(line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at, event.at);
  EXPECT_EQ(read->who, "two");
  EXPECT_EQ(read->kind, DrillEventKind::kAnswer);
  EXPECT_EQ(read->generation, 9);
  EXPECT_EQ(read->op, "write");
  EXPECT_EQ(read->id, "two-9-1");
  EXPECT_EQ(read->outcome, StoreOutcome::kRefused);
  EXPECT_EQ(read->token, 12);
  EXPECT_EQ(read->pid, 77);
  EXPECT_EQ(read->before, event.before);
  EXPECT_EQ(read->text, event.text);
}

TEST(DrillEvent, WhatIsNoneIsRefused) {
  for (const char* line : {"", "[]", "{", "{}", R"({"kind":"party"})"}) {
    EXPECT_FALSE(ReadEventLine(line)) << line;
  }
}

TEST(DrillEvent, BytesThatAreNoTextDoNotBreakALine) {
  DrillEvent event;
  event.text = "\xff\xfe";
  EXPECT_TRUE(ReadEventLine(EventLine(event)));
}

TEST(Attempts, TheLastOfOneIdGetsTheAnswer) {
  std::vector<DrillEvent> events = {
      story::Asked(100, "one", 3, "x", StoreOutcome::kUnknown, 0)[0]};
  story::Add(&events,
             story::Asked(200, "one", 3, "x", StoreOutcome::kRefused, 9));
  const auto attempts = Attempts(events);
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].outcome, StoreOutcome::kUnknown);
  EXPECT_EQ(attempts[1].outcome, StoreOutcome::kRefused);
  EXPECT_EQ(attempts[1].token, 9);
}

}  // namespace
}  // namespace tenure
