// The simulation notices: each unsafe variant of the core is caught within a
// thousand seeds. The line that is printed says by which seed and which claim.
#include "sidecar/authority/canary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/sim/sweep.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kSeeds = 1000;

struct Variant {
  Canary canary;
  const char* name;
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

class Canaries : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override { released_canary = GetParam().canary; }
  void TearDown() override { released_canary = Canary::kNone; }
};

TEST_P(Canaries, AreCaughtWithinAThousandSeeds) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) seeds.push_back(seed);
  std::vector<std::string> caught;
  Sweep(seeds, SimulatedLength(), true, [&](const SeedResult& bad) {
    caught = bad.violations;
    std::printf("%s was caught by seed %llu: %s\n", GetParam().name,
                static_cast<unsigned long long>(bad.seed),
                testing::PrintToString(bad.violations).c_str());
  });
  EXPECT_THAT(caught, testing::Not(testing::IsEmpty()));
}

INSTANTIATE_TEST_SUITE_P(
    Unsafe, Canaries,
    testing::Values(
        Variant{Canary::kCountsFromTheAnswer, "CountsFromTheAnswer"},
        Variant{Canary::kIgnoresDrift, "IgnoresDrift"},
        Variant{Canary::kSuspensionIsNotCounted, "SuspensionIsNotCounted"},
        Variant{Canary::kTrustsAnyMark, "TrustsAnyMark"},
        Variant{Canary::kReadsGrantAuthority, "ReadsGrantAuthority"},
        Variant{Canary::kSendsNoUid, "SendsNoUid"},
        Variant{Canary::kLateAnswerRevivesATerm, "LateAnswerRevivesATerm"},
        Variant{Canary::kReturnsWithItsGeneration, "ReturnsWithItsGeneration"},
        Variant{Canary::kEmptiedIsFree, "EmptiedIsFree"},
        Variant{Canary::kBelievesAShortenedD, "BelievesAShortenedD"},
        Variant{Canary::kReleasesUnderWork, "ReleasesUnderWork"},
        Variant{Canary::kNoticesNoHiddenPause, "NoticesNoHiddenPause"}),
    [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace tenure::sim
