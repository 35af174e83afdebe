// The simulation notices: each unsafe variant of the core is caught within a
// thousand seeds, by a claim about the rule that it breaks. The line that is
// printed says by which seed and which claim.
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
  const char* claims;  // one of these catches it: a pattern
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
  // Caught by anything else, it would say nothing of its rule.
  EXPECT_THAT(caught,
              testing::Contains(testing::ContainsRegex(GetParam().claims)));
}

INSTANTIATE_TEST_SUITE_P(
    Unsafe, Canaries,
    testing::Values(
        Variant{Canary::kCountsFromTheAnswer, "CountsFromTheAnswer", "^S3 "},
        Variant{Canary::kIgnoresDrift, "IgnoresDrift", "^S[12] "},
        Variant{Canary::kSuspensionIsNotCounted, "SuspensionIsNotCounted",
                "^S[12] "},
        Variant{Canary::kTrustsAnyMark, "TrustsAnyMark", "^S3 "},
        Variant{Canary::kReadsGrantAuthority, "ReadsGrantAuthority", "^S3 "},
        Variant{Canary::kSendsNoUid, "SendsNoUid", "^S4 "},
        Variant{Canary::kLateAnswerRevivesATerm, "LateAnswerRevivesATerm",
                "^S6 "},
        Variant{Canary::kReturnsWithItsGeneration, "ReturnsWithItsGeneration",
                "^S7 "},
        Variant{Canary::kEmptiedIsFree, "EmptiedIsFree", "^S[12] "},
        Variant{Canary::kBelievesAShortenedD, "BelievesAShortenedD", "^S[12] "},
        Variant{Canary::kReleasesUnderWork, "ReleasesUnderWork", "^S10 "},
        Variant{Canary::kNoticesNoHiddenPause, "NoticesNoHiddenPause",
                "^S[12] "}),
    [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace tenure::sim
