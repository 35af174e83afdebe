#include "sidecar/authority/authority_snapshot.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kBoot = std::chrono::hours(3);

Moment After(Duration elapsed) {
  Moment moment;
  moment.instant = Instant{kBoot + elapsed, elapsed};
  moment.wall.since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::hours(24 * 365 * 56) + elapsed);
  return moment;
}

AuthoritySnapshot Held() {
  AuthoritySnapshot snapshot;
  snapshot.term = TermSnapshot{34, After(Duration{0}), seconds(10),
                               milliseconds(14'850), false};
  snapshot.settled = true;
  snapshot.server_seen = After(Duration{0}).instant;
  snapshot.silence_limit = seconds(15);
  return snapshot;
}

CertaintyAnswer Answer(const AuthoritySnapshot& snapshot, Duration elapsed) {
  return CertaintyAt(snapshot, After(elapsed));
}

TEST(AuthoritySnapshot, AuthorityIsATimeNotAFlag) {
  const AuthoritySnapshot snapshot = Held();
  const Duration tick{1};
  EXPECT_EQ(Answer(snapshot, seconds(10) - tick).certainty, Certainty::kHeld);
  EXPECT_EQ(Answer(snapshot, seconds(10)).certainty, Certainty::kUncertain);
  EXPECT_EQ(Answer(snapshot, milliseconds(14'850) - tick).certainty,
            Certainty::kUncertain);
  EXPECT_EQ(Answer(snapshot, milliseconds(14'850)).certainty,
            Certainty::kStandby);
  EXPECT_EQ(Answer(snapshot, seconds(15)).certainty, Certainty::kUncertain);
}

TEST(AuthoritySnapshot, TheGenerationIsServedOnlyWhileHeld) {
  EXPECT_EQ(Answer(Held(), seconds(9)).generation, 34);
  EXPECT_EQ(Answer(Held(), seconds(11)).generation, 0);
  EXPECT_EQ(Answer(Held(), milliseconds(14'900)).generation, 0);
}

TEST(AuthoritySnapshot, WhatIsLeftCountsFromTheMomentOfAsking) {
  const CertaintyAnswer answer = Answer(Held(), seconds(4));
  EXPECT_EQ(answer.until_renew_by, seconds(6));
  EXPECT_EQ(answer.until_valid_until, milliseconds(10'850));
  const CertaintyAnswer doubtful = Answer(Held(), seconds(11));
  EXPECT_EQ(doubtful.until_renew_by, Duration{0});
  EXPECT_EQ(doubtful.until_valid_until, milliseconds(3850));
  EXPECT_EQ(Answer(Held(), seconds(20)).until_valid_until, Duration{0});
}

TEST(AuthoritySnapshot, TheHolderCountsTheLongerOfBothClocks) {
  Moment suspended = After(seconds(2));
  suspended.instant.boot += seconds(20);  // raw stood still
  suspended.wall.since_epoch += seconds(20);
  EXPECT_NE(CertaintyAt(Held(), suspended).certainty, Certainty::kHeld);
  Moment slewed = After(seconds(2));
  slewed.instant.raw += seconds(20);  // boot was slowed down
  EXPECT_NE(CertaintyAt(Held(), slewed).certainty, Certainty::kHeld);
}

TEST(AuthoritySnapshot, AWallClockThatRanAheadIsDoubtAndALeapSecondIsNot) {
  Moment ahead = After(seconds(2));
  ahead.wall.since_epoch += seconds(2);
  EXPECT_EQ(CertaintyAt(Held(), ahead).certainty, Certainty::kHeld);
  ahead.wall.since_epoch += std::chrono::microseconds(1);
  const CertaintyAnswer answer = CertaintyAt(Held(), ahead);
  EXPECT_EQ(answer.certainty, Certainty::kUncertain);
  EXPECT_STREQ(answer.reason, "clock");
  Moment behind = After(seconds(2));
  behind.wall.since_epoch -= std::chrono::hours(1);
  EXPECT_EQ(CertaintyAt(Held(), behind).certainty, Certainty::kHeld);
}

TEST(AuthoritySnapshot, ADoubtThatWasNoticedOutlivesTheWallClocksReturn) {
  AuthoritySnapshot snapshot = Held();
  snapshot.term->clock_doubt = true;
  EXPECT_EQ(Answer(snapshot, seconds(1)).certainty, Certainty::kUncertain);
}

TEST(AuthoritySnapshot, NothingIsKnownBeforeTheFirstRead) {
  const CertaintyAnswer answer = Answer(AuthoritySnapshot{}, seconds(1));
  EXPECT_EQ(answer.certainty, Certainty::kUncertain);
  EXPECT_STREQ(answer.reason, "unsettled");
}

TEST(AuthoritySnapshot, AStandbyThatHearsNothingForDIsUncertain) {
  AuthoritySnapshot snapshot = Held();
  snapshot.term.reset();
  EXPECT_EQ(Answer(snapshot, milliseconds(14'999)).certainty,
            Certainty::kStandby);
  const CertaintyAnswer silent = Answer(snapshot, seconds(15));
  EXPECT_EQ(silent.certainty, Certainty::kUncertain);
  EXPECT_STREQ(silent.reason, "silence");
}

TEST(AuthoritySnapshot, DrainingIsStillHeld) {
  AuthoritySnapshot snapshot = Held();
  snapshot.draining = true;
  EXPECT_EQ(Answer(snapshot, seconds(1)).certainty, Certainty::kHeld);
}

}  // namespace
}  // namespace tenure
