#include "sidecar/drill/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/drill/story.h"

namespace tenure {
namespace {

using story::Add;
using story::Asked;
using story::Certain;
using story::kStale;
using story::Pause;
using story::Stored;
using testing::HasSubstr;

TEST(Verdict, PassesIfTheStaleWriteWasRefusedByItsGeneration) {
  const Verdict verdict = Judge(Pause(StoreOutcome::kRefused, 9), kStale, "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kPassed) << verdict.why;
  EXPECT_EQ(verdict.stale_who, "one");
  EXPECT_EQ(verdict.stale_generation, 3);
  EXPECT_EQ(verdict.token, 9);
}

TEST(Verdict, FailsIfTheStaleWriteWasAccepted) {
  const Verdict verdict = Judge(Pause(StoreOutcome::kAccepted, 9), kStale, "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kFailed);
  EXPECT_THAT(verdict.why, HasSubstr("ACCEPTED"));
}

TEST(Verdict, FailsAlsoIfTheDrillWasInTroubleAfterwards) {
  const Verdict verdict =
      Judge(Pause(StoreOutcome::kAccepted, 9), "", "the store went away");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kFailed);
}

TEST(Verdict, AnotherStaleWriteThanTheExpectedOneFails) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  Add(&events, Asked(5050, "one", 3, "one-3-3", StoreOutcome::kAccepted, 9));
  EXPECT_EQ(Judge(events, kStale, "").outcome, DrillOutcome::kFailed);
}

TEST(Verdict, AWriteUnderWayWhileTheTokenWasRaisedIsNoStaleOne) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  // Tried 5 ms before the answer to two's raise came.
  Add(&events, Asked(4105, "one", 3, "one-3-3", StoreOutcome::kAccepted, 3));
  EXPECT_EQ(Judge(events, kStale, "").outcome, DrillOutcome::kPassed);
}

TEST(Verdict, AStaleWriteThatWasNeverTriedIsNoPass) {
  const Verdict verdict =
      Judge(Pause(StoreOutcome::kRefused, 9), "one-3-77", "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kNothing);
  EXPECT_THAT(verdict.why, HasSubstr("never reached the store"));
}

TEST(Verdict, TroubleIsNoPassAndSaysWhy) {
  const Verdict verdict =
      Judge(Pause(StoreOutcome::kRefused, 9), kStale, "the relay broke");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kNothing);
  EXPECT_EQ(verdict.why, "the relay broke");
}

TEST(Verdict, NoAnswerIsNoPass) {
  EXPECT_EQ(Judge(Pause(StoreOutcome::kUnknown, 0), kStale, "").outcome,
            DrillOutcome::kNothing);
}

TEST(Verdict, ARefusalForAnotherReasonIsNoPass) {
  for (const std::int64_t token : {0, 3, 8}) {
    const Verdict verdict =
        Judge(Pause(StoreOutcome::kRefused, token), kStale, "");
    EXPECT_EQ(verdict.outcome, DrillOutcome::kNothing) << token;
    EXPECT_THAT(verdict.why, HasSubstr("not by its generation"));
  }
}

TEST(Verdict, ARefusalBeforeAnythingNewerIsNoPass) {
  std::vector<DrillEvent> events;
  Add(&events, Asked(100, "one", 3, kStale, StoreOutcome::kRefused, 9));
  const Verdict verdict = Judge(events, kStale, "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kNothing);
  EXPECT_THAT(verdict.why, HasSubstr("not stale"));
}

// Two writes were accepted in the story, and one refused.
TEST(Verdict, AStoreThatAppliedWhatItRefusedFails) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  events.push_back(Stored(5500, 9, 2));
  EXPECT_EQ(Judge(events, kStale, "").outcome, DrillOutcome::kPassed);
  events.push_back(Stored(5600, 9, 3));
  const Verdict verdict = Judge(events, kStale, "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kFailed);
  EXPECT_THAT(verdict.why, HasSubstr("APPLIED a write that it refused"));
}

TEST(Verdict, AWriteWithoutAnAnswerMayHaveBeenApplied) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  Add(&events, Asked(5300, "two", 9, "two-9-2", StoreOutcome::kUnknown, 0));
  events.push_back(Stored(5500, 9, 3));
  EXPECT_EQ(Judge(events, kStale, "").outcome, DrillOutcome::kPassed);
  // Asked for again, and applied once.
  Add(&events, Asked(5600, "two", 9, "two-9-2", StoreOutcome::kAccepted, 9));
  events.push_back(Stored(5700, 9, 4));
  EXPECT_EQ(Judge(events, kStale, "").outcome, DrillOutcome::kFailed);
}

TEST(Verdict, AStoreOfWhichTheTokenFellFails) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  events.push_back(Stored(5500, 3, 2));
  const Verdict verdict = Judge(events, kStale, "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kFailed);
  EXPECT_THAT(verdict.why, HasSubstr("token FELL"));
}

TEST(Verdict, AStoreThatDoesNotSayWhatItHoldsIsNotAccused) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  events.push_back(Stored(5500, 0, -1));
  EXPECT_EQ(Judge(events, kStale, "").outcome, DrillOutcome::kPassed);
}

TEST(Verdict, ALateRaiseThatWasAcceptedFails) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  Add(&events, Asked(5300, "one", 3, "one-3-late-raise",
                     StoreOutcome::kAccepted, 3, "raise"));
  const Verdict verdict = Judge(events, kStale, "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kFailed);
  EXPECT_THAT(verdict.why, HasSubstr("ACCEPTED a stale raise"));
}

TEST(Verdict, TwoThatHeldAtOnceFail) {
  std::vector<DrillEvent> events = Pause(StoreOutcome::kRefused, 9);
  events.push_back(Certain(5200, 5180, "one", "held", 3));
  events.push_back(Certain(5900, 5850, "one", "standby"));
  events.push_back(Certain(6000, 5950, "two", "standby"));
  const Verdict verdict = Judge(events, kStale, "");
  EXPECT_EQ(verdict.outcome, DrillOutcome::kFailed);
  EXPECT_THAT(verdict.why, HasSubstr("held at once"));
}

TEST(Bands, EndWhereTheAnswerWasLastGiven) {
  const auto bands = Bands(Pause(StoreOutcome::kRefused, 9), story::At(6000));
  ASSERT_EQ(bands.size(), 5U);
  EXPECT_EQ(bands[0].who, "one");
  EXPECT_EQ(bands[0].kind, Band::Kind::kHeld);
  EXPECT_EQ(bands[0].generation, 3);
  EXPECT_EQ(bands[0].from, story::At(100));
  EXPECT_EQ(bands[0].to, story::At(450));
  EXPECT_EQ(bands[0].ended, story::At(500));
  EXPECT_EQ(bands[1].kind, Band::Kind::kFrozen);
  EXPECT_EQ(bands[1].ended, story::At(5100));
  EXPECT_EQ(bands[2].kind, Band::Kind::kStandby);
  EXPECT_EQ(bands[2].ended, story::At(6000));
  EXPECT_EQ(bands[4].kind, Band::Kind::kHeld);
  EXPECT_EQ(bands[4].generation, 9);
}

TEST(Bands, OfASidecarThatIsGoneEnd) {
  const auto bands =
      Bands({Certain(100, 0, "one", "held", 3), Certain(400, 350, "one", "")},
            story::At(900));
  ASSERT_EQ(bands.size(), 1U);
  EXPECT_EQ(bands[0].ended, story::At(400));
}

TEST(DrillExitCode, TheWorstOfAllDrillsCounts) {
  const auto code = [](std::vector<DrillOutcome> outcomes) {
    std::vector<Verdict> verdicts;
    for (const DrillOutcome outcome : outcomes) {
      verdicts.push_back(Verdict{outcome, "", "", 0, 0});
    }
    return DrillExitCode(verdicts);
  };
  using enum DrillOutcome;
  EXPECT_EQ(code({kPassed, kPassed}), 0);
  EXPECT_EQ(code({kPassed, kSkipped}), 3);
  EXPECT_EQ(code({kSkipped, kNothing, kPassed}), 2);
  EXPECT_EQ(code({kSkipped, kNothing, kFailed}), 1);
  EXPECT_EQ(code({}), 2);
}

}  // namespace
}  // namespace tenure
