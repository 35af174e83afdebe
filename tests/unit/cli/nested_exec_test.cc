#include "sidecar/cli/nested_exec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Refusal(const std::vector<std::string>& given) {
  const auto leases = SortedLeases(given);
  return leases ? "" : leases.error().message;
}

TEST(NestedExecTest, LeasesAreSortedHoweverTheyWereNamed) {
  EXPECT_THAT(*SortedLeases({"c", "b,a"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*SortedLeases({""}), IsEmpty());
}

TEST(NestedExecTest, ANameKubernetesDoesNotAllowIsRefusedWithASuggestion) {
  EXPECT_THAT(Refusal({"a", "payments:EU"}), HasSubstr("use \"payments-eu\""));
  EXPECT_THAT(Refusal({"a,,b"}), HasSubstr("it is empty"));
}

TEST(NestedExecTest, ALeaseNamedTwiceIsRefused) {
  EXPECT_THAT(Refusal({"a", "b,a"}), HasSubstr("found \"a\" twice"));
}

TEST(NestedExecTest, TwoThatWouldShareAVariableAreRefusedThoughNotNeighbours) {
  EXPECT_THAT(Refusal({"a-b", "a-c", "a.b"}),
              HasSubstr("TENURE_GENERATION_A_B"));
}

TEST(NestedExecTest, ThereIsALimit) {
  std::string names = "l0";
  for (int i = 1; i < 16; ++i) names += ",l" + std::to_string(i);
  EXPECT_EQ(SortedLeases({names})->size(), 16u);
  EXPECT_THAT(Refusal({names, "one-more"}), HasSubstr("at most 16, found 17"));
}

TEST(NestedExecTest, TheNestedOneHasTheSameFlagsAndTheRestOfTheLeases) {
  ParsedFlags flags;
  flags.given = {{"lease", {"a"}}, {"direct", {"true"}}, {"timeout", {"5s"}}};
  EXPECT_THAT(
      NestedCommand("/tenure", flags, {"b", "c"}, {"sh", "-c", "--"}),
      ElementsAre("/tenure", "exec", "--lease=b", "--lease=c", "--direct=true",
                  "--timeout=5s", "--", "sh", "-c", "--"));
  EXPECT_EQ(TimeoutWord(NestedCommand("/tenure", flags, {"b"}, {"x"})), 4U);
  flags.given.erase("timeout");
  EXPECT_EQ(TimeoutWord(
                NestedCommand("/tenure", flags, {"b"}, {"x", "--timeout=1s"})),
            0U);
}

}  // namespace
}  // namespace tenure
