// Every sequence of moves, breadth first, with states that were seen before cut
// off. TENURE_EXHAUSTIVE_DEPTH: moves (5, beyond the opening);
// TENURE_EXHAUSTIVE_STATES: stop after so many distinct states (1,000,000).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/exhaustive/two_nodes.h"

namespace tenure::exhaustive {
namespace {

std::int64_t Setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

using Path = std::vector<Move>;

std::string Describe(const Path& path) {
  std::string text;
  for (const Move& move : path) text += MoveName(move) + ", ";
  return text;
}

// The cores cannot be copied: each state is reached again from the start.
TwoNodes Replay(const Path& path, RuleCounts* counts) {
  TwoNodes nodes(counts);
  for (const Move& move : path) nodes.Make(move);
  return nodes;
}

struct Opening {
  const char* name;
  Path moves;
  int holder;  // when it is over
};

constexpr Move kWait{Choice::kWait, 0};
constexpr Move DeliverA() { return {Choice::kDeliver, 0}; }
constexpr Move DeliverB() { return {Choice::kDeliver, 1}; }

// Where the search begins: from nothing, and from later moments that a search
// from nothing would not reach at this depth.
std::vector<Opening> Openings() {
  // A reads, acquires; B reads and stands by.
  const Path held{DeliverA(), DeliverA(), DeliverB()};
  const auto after = [&held](std::initializer_list<Move> moves) {
    Path path = held;
    path.insert(path.end(), moves);
    return path;
  };
  return {
      {"AFreeLease", {}, -1},
      {"AHolds", held, 0},
      {"AHoldsWithWork", after({{Choice::kWork, 0}}), 0},
      {"AClaimRunsOutUnheard",
       after({kWait, {Choice::kBreak, 0}, {Choice::kOversleep, 0}}), -1},
      // Silence first: B reads before it acquires.
      {"BHasTakenOver",
       after({{Choice::kOversleep, 0}, kWait, DeliverB(), DeliverB()}), 1},
  };
}

class Exhaustive : public testing::TestWithParam<Opening> {};

TEST_P(Exhaustive, NoSequenceOfMovesBreaksARule) {
  const std::int64_t depth = Setting("TENURE_EXHAUSTIVE_DEPTH", 5);
  const std::int64_t most = Setting("TENURE_EXHAUSTIVE_STATES", 1'000'000);
  RuleCounts counts;
  ASSERT_EQ(Replay(GetParam().moves, &counts).Holder(), GetParam().holder);
  RuleCounts replayed;  // not counted: the same states again
  std::unordered_set<std::uint64_t> seen;
  std::vector<Path> frontier{GetParam().moves};
  seen.insert(Replay(GetParam().moves, &counts).Fingerprint());
  std::int64_t made = 0;
  for (std::int64_t level = 0; level < depth; ++level) {
    std::vector<Path> next;
    for (const Path& path : frontier) {
      if (static_cast<std::int64_t>(seen.size()) >= most) break;
      for (const Move& move : Replay(path, &replayed).Moves()) {
        TwoNodes nodes = Replay(path, &replayed);
        nodes.SetCounts(&counts);
        ++made;
        Path longer = path;
        longer.push_back(move);
        const auto broken = nodes.Make(move);
        ASSERT_FALSE(broken) << *broken << "\n  after: " << Describe(longer);
        if (seen.insert(nodes.Fingerprint()).second) {
          next.push_back(std::move(longer));
        }
      }
    }
    frontier = std::move(next);
  }
  std::printf("%s, depth %lld: %zu states, %lld moves\n", GetParam().name,
              static_cast<long long>(depth), seen.size(),
              static_cast<long long>(made));
  for (const auto& [rule, times] : counts) {
    std::printf("  %-55s %lld\n", rule.c_str(), static_cast<long long>(times));
  }
  if (depth >= 5) {
    EXPECT_GE(counts.size(), 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(From, Exhaustive, testing::ValuesIn(Openings()),
                         [](const auto& opening) {
                           return std::string(opening.param.name);
                         });

}  // namespace
}  // namespace tenure::exhaustive
