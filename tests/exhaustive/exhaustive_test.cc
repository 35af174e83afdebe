// Every sequence of moves, breadth first, with states that were seen before cut
// off. TENURE_EXHAUSTIVE_DEPTH: moves (7); TENURE_EXHAUSTIVE_STATES: stop after
// so many distinct states (400,000).
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

TEST(Exhaustive, NoSequenceOfMovesBreaksARule) {
  const std::int64_t depth = Setting("TENURE_EXHAUSTIVE_DEPTH", 7);
  const std::int64_t most = Setting("TENURE_EXHAUSTIVE_STATES", 400'000);
  RuleCounts counts;
  RuleCounts replayed;  // not counted: the same states again
  std::unordered_set<std::uint64_t> seen;
  std::vector<Path> frontier{Path{}};
  seen.insert(TwoNodes(&counts).Fingerprint());
  std::int64_t moves_made = 0;
  for (std::int64_t level = 1; level <= depth && !frontier.empty(); ++level) {
    std::vector<Path> next;
    for (const Path& path : frontier) {
      for (const Move& move : Replay(path, &replayed).Moves()) {
        TwoNodes nodes = Replay(path, &replayed);
        nodes.SetCounts(&counts);
        ++moves_made;
        Path longer = path;
        longer.push_back(move);
        if (const auto broken = nodes.Make(move)) {
          FAIL() << *broken << "\n  after: " << Describe(longer);
        }
        if (seen.insert(nodes.Fingerprint()).second) {
          next.push_back(std::move(longer));
        }
      }
      if (static_cast<std::int64_t>(seen.size()) >= most) break;
    }
    std::printf("depth %lld: %zu states, %lld moves\n",
                static_cast<long long>(level), seen.size(),
                static_cast<long long>(moves_made));
    if (static_cast<std::int64_t>(seen.size()) >= most) break;
    frontier = std::move(next);
  }
  for (const auto& [rule, times] : counts) {
    std::printf("  %-55s %lld\n", rule.c_str(), static_cast<long long>(times));
    EXPECT_GT(times, 0);
  }
  EXPECT_GE(counts.size(), 10U);
  EXPECT_GE(seen.size(), 10'000U);
}

}  // namespace
}  // namespace tenure::exhaustive
