// Every sequence of moves, breadth first, each distinct state once.
// TENURE_EXHAUSTIVE_DEPTH: how many moves from the beginning (10).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/exhaustive/search.h"

namespace tenure::exhaustive {
namespace {

// So deep that every rule is put to the test.
constexpr int kAllRules = 7;

int Deepest() {
  const char* const setting = std::getenv("TENURE_EXHAUSTIVE_DEPTH");
  return setting != nullptr ? std::atoi(setting) : 10;
}

constexpr Move kWait{Choice::kWait, 0};
constexpr Move kOversleep{Choice::kOversleep, 0};
constexpr Move Deliver(std::uint8_t node) { return {Choice::kDeliver, node}; }

struct Opening {
  Path moves;
  int holder;  // when it is over; -1: nobody
};

// Later moments than the beginning, for searches that go less deep.
std::vector<Opening> Openings() {
  // A reads, acquires; B reads and stands by.
  const Path held{Deliver(0), Deliver(0), Deliver(1)};
  const auto after = [&held](std::initializer_list<Move> moves) {
    Path path = held;
    path.insert(path.end(), moves);
    return path;
  };
  return {
      {held, 0},
      {after({{Choice::kWork, 0}}), 0},
      // A's claim runs out and nobody knows.
      {after({kWait, kWait, {Choice::kBreak, 0}, kOversleep}), -1},
      // B has taken over. Silence first: it reads before it acquires.
      {after({kOversleep, kWait, Deliver(1), Deliver(1)}), 1},
  };
}

struct Scope {
  const char* name;
  int nodes;
  int events;
  int less_deep;
  bool from_openings;
};

void Report(const Scope& scope, const SearchResult& result) {
  std::printf(
      "%s: every sequence of up to %d moves, %d of them events: %lld states, "
      "%lld moves\n  new at each depth:",
      scope.name, result.depth, scope.events,
      static_cast<long long>(result.states),
      static_cast<long long>(result.moves));
  for (const std::int64_t states : result.states_at) {
    std::printf(" %lld", static_cast<long long>(states));
  }
  std::printf("\n");
  for (std::size_t i = 0; i < kRules; ++i) {
    std::printf("  %-50s %lld\n", kRuleNames[i],
                static_cast<long long>(result.counts[i]));
  }
  std::fflush(stdout);
}

class Exhaustive : public testing::TestWithParam<Scope> {
 protected:
  static void TearDownTestSuite() {
    if (Deepest() < kAllRules) return;
    for (std::size_t i = 0; i < kRules; ++i) {
      EXPECT_GT(counts_[i], 0) << "never put to the test: " << kRuleNames[i];
    }
  }
  static inline RuleCounts counts_;
};

TEST_P(Exhaustive, NoSequenceOfMovesBreaksARule) {
  const Scope& scope = GetParam();
  SearchOptions options;
  options.nodes = scope.nodes;
  options.most_events = scope.events;
  options.depth = std::max(Deepest() - scope.less_deep, 1);
  std::vector<Path> paths{{}};
  if (scope.from_openings) {
    paths.clear();
    for (const Opening& opening : Openings()) {
      RuleCounts counts;
      const SmallWorld world = Replay(options, opening.moves, &counts);
      ASSERT_EQ(world.Holder(), opening.holder) << Describe(opening.moves);
      paths.push_back(opening.moves);
    }
  }
  const SearchResult result = Search(options, paths);
  Report(scope, result);
  counts_.Add(result.counts);
  ASSERT_FALSE(result.broken) << *result.broken;
  ASSERT_EQ(result.depth, options.depth);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Exhaustive,
    testing::Values(Scope{"TwoNodes", 2, 1, 0, false},
                    Scope{"TwoNodesWithMoreEvents", 2, 3, 5, true},
                    Scope{"ThreeNodes", 3, 1, 3, false}),
    [](const auto& scope) { return std::string(scope.param.name); });

}  // namespace
}  // namespace tenure::exhaustive
