// What the exhaustive search rests on: states with one fingerprint behave
// alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/exhaustive/search.h"

namespace tenure::exhaustive {
namespace {

// Where each move leads, whatever it is called: of three nodes two are alike.
std::vector<Fingerprint> Followers(const SmallWorld& world) {
  std::vector<Fingerprint> followers;
  for (const Move& move : world.Moves()) {
    SmallWorld next(world);
    EXPECT_FALSE(next.Make(move)) << MoveName(move);
    followers.push_back(next.GetFingerprint());
  }
  std::sort(followers.begin(), followers.end());
  return followers;
}

class StatesOfOneFingerprint : public testing::TestWithParam<int> {};

TEST_P(StatesOfOneFingerprint, GoOnAlike) {
  SearchOptions options;
  options.nodes = GetParam();
  options.most_events = 2;
  RuleCounts counts;
  std::map<Fingerprint, Path> first;
  std::vector<Path> level{{}};
  std::int64_t compared = 0;
  const int deepest = options.nodes == 2 ? 4 : 3;
  for (int depth = 0; depth < deepest; ++depth) {
    std::vector<Path> next;
    for (const Path& path : level) {
      for (const Move& move : Replay(options, path, &counts).Moves()) {
        Path longer = path;
        longer.push_back(move);
        const SmallWorld world = Replay(options, longer, &counts);
        const auto [known, is_new] =
            first.emplace(world.GetFingerprint(), longer);
        if (is_new) {
          next.push_back(std::move(longer));
          continue;
        }
        ++compared;
        ASSERT_EQ(Followers(world),
                  Followers(Replay(options, known->second, &counts)))
            << Describe(longer) << "\n  and " << Describe(known->second);
      }
    }
    level = std::move(next);
  }
  EXPECT_GT(compared, 500);
}

INSTANTIATE_TEST_SUITE_P(With, StatesOfOneFingerprint, testing::Values(2, 3),
                         [](const auto& nodes) {
                           return std::string(nodes.param == 2 ? "TwoNodes"
                                                               : "ThreeNodes");
                         });

}  // namespace
}  // namespace tenure::exhaustive
