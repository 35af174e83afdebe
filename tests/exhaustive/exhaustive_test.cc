// Every sequence of moves, breadth first, each distinct state once.
// TENURE_EXHAUSTIVE_DEPTH: moves beyond the openings;
// TENURE_EXHAUSTIVE_STATES: no further level once there are so many states.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/exhaustive/search.h"

namespace tenure::exhaustive {
namespace {

std::int64_t Setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

constexpr Move kWait{Choice::kWait, 0};
constexpr Move kOversleep{Choice::kOversleep, 0};
constexpr Move Deliver(std::uint8_t node) { return {Choice::kDeliver, node}; }

struct Opening {
  Path moves;
  int holder;  // when it is over; -1: nobody
};

// Where the search begins: from nothing, and from later moments that a search
// from nothing would reach with few moves left.
std::vector<Opening> Openings(int nodes) {
  // A reads, acquires; the others read and stand by.
  Path held{Deliver(0), Deliver(0), Deliver(1)};
  if (nodes > 2) held.push_back(Deliver(2));
  const auto after = [&held](std::initializer_list<Move> moves) {
    Path path = held;
    path.insert(path.end(), moves);
    return path;
  };
  return {
      {{}, -1},
      {held, 0},
      {after({{Choice::kWork, 0}}), 0},
      // A's claim runs out and nobody knows.
      {after({kWait, kWait, {Choice::kBreak, 0}, kOversleep}), -1},
      // B has taken over. Silence first: it reads before it acquires.
      {after({kOversleep, kWait, Deliver(1), Deliver(1)}), 1},
  };
}

void Report(const char* name, const SearchResult& result) {
  std::printf("%s: every sequence to depth %d, %lld states, %lld moves\n", name,
              result.depth, static_cast<long long>(result.states),
              static_cast<long long>(result.moves));
  std::printf("  new at each depth:");
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

class Exhaustive : public testing::TestWithParam<int> {};

TEST_P(Exhaustive, NoSequenceOfMovesBreaksARule) {
  SearchOptions options;
  options.nodes = GetParam();
  options.most_events =
      static_cast<int>(Setting("TENURE_EXHAUSTIVE_EVENTS", 1));
  options.depth = static_cast<int>(Setting("TENURE_EXHAUSTIVE_DEPTH", 6));
  options.most_states = Setting("TENURE_EXHAUSTIVE_STATES", 100'000'000);
  std::vector<Path> openings;
  for (const Opening& opening : Openings(options.nodes)) {
    RuleCounts counts;
    const SmallWorld world = Replay(options, opening.moves, &counts);
    ASSERT_EQ(world.Holder(), opening.holder) << Describe(opening.moves);
    openings.push_back(opening.moves);
  }
  const SearchResult result = Search(options, openings);
  Report(options.nodes == 2 ? "two nodes" : "three nodes", result);
  ASSERT_FALSE(result.broken) << *result.broken;
  EXPECT_EQ(result.depth, options.depth);
  for (std::size_t i = 0; i < kRules; ++i) {
    EXPECT_GT(result.counts[i], 0)
        << "never put to the test: " << kRuleNames[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, Exhaustive, testing::Values(2, 3),
                         [](const auto& nodes) {
                           return std::string(nodes.param == 2 ? "Two"
                                                               : "Three");
                         });

}  // namespace
}  // namespace tenure::exhaustive
