#include "sidecar/drill/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/drill/story.h"

namespace tenure {
namespace {

using story::kStale;
using story::Pause;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t Count(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos;
       at = text.find(piece, at + 1)) {
    ++count;
  }
  return count;
}

std::string Drawn(StoreOutcome outcome) {
  auto events = Pause(outcome, 9);
  Verdict verdict = Judge(events, kStale, "");
  return TimelineSvg(story::Result(std::move(events), std::move(verdict)));
}

TEST(TimelineSvg, HasABandForEachStretchWithItsGeneration) {
  const std::string svg = Drawn(StoreOutcome::kRefused);
  EXPECT_EQ(Count(svg, "class=\"band "), 5U);
  EXPECT_THAT(
      svg,
      AllOf(
          HasSubstr(
              "class=\"band held c0\" data-who=\"one\" data-generation=\"3\""),
          HasSubstr(
              "class=\"band held c1\" data-who=\"two\" data-generation=\"9\""),
          HasSubstr("class=\"band frozen c0\" data-who=\"one\"")));
}

TEST(TimelineSvg, MarksTheStaleWriteAndWhatBecameOfIt) {
  EXPECT_THAT(Drawn(StoreOutcome::kRefused),
              AllOf(HasSubstr("class=\"mark refused stale c0\""),
                    HasSubstr("write under 3 REFUSED: the store knows 9")));
  EXPECT_THAT(Drawn(StoreOutcome::kAccepted),
              AllOf(HasSubstr("class=\"mark accepted stale c0\""),
                    HasSubstr("write under 3 accepted")));
}

TEST(TimelineSvg, ShowsTheStoresTokenAsItRises) {
  const std::string svg = Drawn(StoreOutcome::kRefused);
  EXPECT_EQ(Count(svg, "class=\"token "), 2U);
  // Without a fence the old holder's write takes the place of the newer one.
  EXPECT_EQ(Count(Drawn(StoreOutcome::kAccepted), "class=\"token "), 3U);
}

TEST(TimelineSvg, NumbersTheStepsThatArePrintedBelow) {
  auto events = Pause(StoreOutcome::kRefused, 9);
  DrillEvent fault = story::Event(500, "one", story::Kind::kFault);
  fault.text = "one is <paused>";
  events.push_back(fault);
  ASSERT_EQ(Steps(events).size(), 1U);
  const std::string svg = TimelineSvg(story::Result(events, {}));
  EXPECT_EQ(Count(svg, "<g class=\"step fault\">"), 1U);
  EXPECT_THAT(svg, AllOf(HasSubstr("one is &lt;paused&gt;"),
                         Not(HasSubstr("<paused>"))));
}

TEST(TimelineSvg, NamesFromOutsideAreNoMarkup) {
  const std::string bad = "\"><script>";
  const std::string svg =
      TimelineSvg(story::Result({story::Certain(1, 0, bad, "held", 2)}, {}));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(TimelineSvg, WhatHasNoAnswerIsNotDrawnAsRefused) {
  auto events = Pause(StoreOutcome::kRefused, 9);
  const std::size_t crosses =
      Count(TimelineSvg(story::Result(events, {})), "\"cross\"");
  // Under way when the drill ended.
  story::Add(&events, {story::Asked(5990, "two", 9, "two-9-2",
                                    StoreOutcome::kUnknown, 0)[0]});
  const std::string svg = TimelineSvg(story::Result(events, {}));
  EXPECT_EQ(Count(svg, "\"cross\""), crosses);
  EXPECT_EQ(Count(svg, "class=\"mark unknown "), 1U);
}

TEST(TimelineSvg, NoTwoContendersHaveOneColour) {
  std::vector<DrillEvent> events;
  for (const char* who : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    events.push_back(story::Certain(1, 0, who, "standby"));
  }
  const std::string svg = TimelineSvg(story::Result(events, {}));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Count(svg, "standby c" + std::to_string(i) + "\""), 1U) << i;
  }
}

TEST(TimelineSvg, ALongGenerationIsLeftOutOfABarThatIsTooShort) {
  const auto drawn = [](int until) {
    return TimelineSvg(
        story::Result({story::Certain(0, 0, "one", "held", 9999999999),
                       story::Certain(until, until, "one", "")},
                      {}));
  };
  EXPECT_THAT(drawn(3000), HasSubstr("\"label\">9999999999<"));
  EXPECT_THAT(drawn(300), Not(HasSubstr("\"label\"")));
}

TEST(TimelineSvg, OfNothingIsStillAPicture) {
  EXPECT_THAT(TimelineSvg(story::Result({}, {})),
              AllOf(HasSubstr("<svg"), HasSubstr("</svg>")));
}

}  // namespace
}  // namespace tenure
