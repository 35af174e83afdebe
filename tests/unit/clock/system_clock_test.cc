#include "sidecar/clock/system_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>

namespace tenure {
namespace {

TEST(ReadClocks, NeitherReadingOfTheInstantGoesBack) {
  Moment last = ReadClocks();
  for (int i = 0; i < 10'000; ++i) {
    const Moment now = ReadClocks();
    ASSERT_GE(now.instant.boot, last.instant.boot);
    ASSERT_GE(now.instant.raw, last.instant.raw);
    last = now;
  }
}

TEST(ReadClocks, BothReadingsOfTheInstantMove) {
  const Moment first = ReadClocks();
  Moment now = first;
  // Nanosecond clocks: a few reads are enough; the limit is for a broken one.
  for (int i = 0; i < 1'000'000 && (now.instant.boot == first.instant.boot ||
                                    now.instant.raw == first.instant.raw);
       ++i) {
    now = ReadClocks();
  }
  EXPECT_GT(now.instant.boot, first.instant.boot);
  EXPECT_GT(now.instant.raw, first.instant.raw);
}

// A machine's uptime and its date, not each other's.
TEST(ReadClocks, TheInstantCountsFromBootAndTheWallFromTheEpoch) {
  const Moment now = ReadClocks();
  EXPECT_GT(now.instant.boot, Duration{0});
  EXPECT_LT(now.instant.boot, std::chrono::hours(24 * 365 * 20));
  EXPECT_GT(now.wall.since_epoch, std::chrono::hours(24 * 365 * 50));
}

TEST(ReadEntropy, NoWordEverComesTwice) {
  std::set<std::uint64_t> words;
  for (int i = 0; i < 1'000; ++i) {
    for (const std::uint64_t word : ReadEntropy()) words.insert(word);
  }
  EXPECT_EQ(words.size(), 2'000U);
}

}  // namespace
}  // namespace tenure
