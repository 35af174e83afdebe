#include "sidecar/authority/observation.h"

#include <gtest/gtest.h>

#include "sidecar/authority/renewal_schedule.h"

namespace tenure {
namespace {

using std::chrono::seconds;

AuthorityOptions Options() {
  AuthorityOptions options;
  options.identity = "me";
  options.times = *TimesForPreset("default");  // D = 15 s, allowance 1 %
  return options;
}

LeaseRecord HeldByOther() {
  LeaseRecord record;
  record.uid = "u";
  record.resource_version = "7";
  record.holder = "other";
  record.duration_seconds = 15;
  return record;
}

Instant At(int second) { return Instant{seconds(second), seconds(second)}; }

// S9: of a Lease that is gone the wait counts from when that was seen, however
// long the record had stood still.
TEST(Observation, AnAbsenceRestartsTheWait) {
  Observation seen(Options());
  seen.See(HeldByOther(), At(100));
  ASSERT_EQ(seen.FreeIn(At(120)), Duration{0});
  EXPECT_TRUE(seen.SeeAbsent(At(120)));
  EXPECT_GE(seen.FreeIn(At(121)), seconds(14));
  EXPECT_FALSE(seen.SeeAbsent(At(130))) << "the same absence";
  EXPECT_EQ(seen.FreeIn(At(136)), Duration{0});
}

// Whatever it says: there was a time without it.
TEST(Observation, ALeaseThatCameBackRestartsTheWait) {
  for (const LeaseRecord& back : {HeldByOther(), LeaseRecord{}}) {
    Observation seen(Options());
    seen.See(HeldByOther(), At(100));
    seen.SeeAbsent(At(110));
    EXPECT_TRUE(seen.See(back, At(120)));
    EXPECT_GE(seen.FreeIn(At(121)), seconds(14));
  }
}

// S7: what somebody typed is a witness while it stands, and no longer: a slip
// of the hand is mended by another. What a Tenure process wrote is remembered.
TEST(Observation, OnlyAGenerationThatAProcessWroteIsRemembered) {
  Observation seen(Options());
  LeaseRecord record = HeldByOther();
  record.generation = "900";
  seen.See(record, At(100));
  EXPECT_EQ(seen.highest_generation(), 0);
  record.write = WriteMark("other", Entropy{1, 2});
  seen.See(record, At(101));
  EXPECT_EQ(seen.highest_generation(), 900);
  seen.SeeAbsent(At(102));
  EXPECT_EQ(seen.highest_generation(), 900);
}

}  // namespace
}  // namespace tenure
