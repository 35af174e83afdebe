#include "sidecar/base/prng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tenure {
namespace {

// Seeds in seeds.txt and in bug reports must mean the same for ever.
TEST(Prng, TheSequenceOfASeedIsFixed) {
  // splitmix64's published test vector for seed 1234567.
  Prng prng(1234567);
  EXPECT_EQ(prng.Next(), 6457827717110365317ULL);
  EXPECT_EQ(prng.Next(), 3203168211198807973ULL);
  EXPECT_EQ(prng.Next(), 9817491932198370423ULL);
}

TEST(Prng, BelowStaysBelowItsBound) {
  Prng prng(7);
  for (const std::uint64_t bound :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{10},
        std::uint64_t{1'000'003}, UINT64_MAX}) {
    for (int i = 0; i < 1'000; ++i) EXPECT_LT(prng.Below(bound), bound);
  }
}

TEST(Prng, BelowReachesEveryValueAboutEquallyOften) {
  Prng prng(7);
  std::array<int, 10> times{};
  for (int i = 0; i < 10'000; ++i) ++times[prng.Below(times.size())];
  for (const int count : times) EXPECT_NEAR(count, 1'000, 150);
}

TEST(Prng, NeighbouringSeedsAreFarApart) {
  EXPECT_NE(Prng(1).Next(), Prng(2).Next());
  EXPECT_NE(Prng(0).Next(), 0U);
}

}  // namespace
}  // namespace tenure
