// Search: every sequence of moves up to a depth, breadth first, each distinct
// state once, on as many threads as are asked for.
//
// A state is kept as the moves that lead to it; the worlds themselves would
// need a hundred times the memory. Neighbours in the order of the search share
// most of their moves, so each is one or two moves away from the one before.
//
// Thread safety: one thread calls; it starts its own.
#ifndef TENURE_TESTS_EXHAUSTIVE_SEARCH_H_
#define TENURE_TESTS_EXHAUSTIVE_SEARCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/exhaustive/moves.h"
#include "tests/exhaustive/rules.h"
#include "tests/exhaustive/small_world.h"

namespace tenure::exhaustive {

// From the beginning of a world of so many nodes.
using Path = std::vector<Move>;

struct SearchOptions {
  int nodes = 2;
  int most_events = 1;
  int depth = 10;
  int threads = 2;
};

struct SearchResult {
  std::int64_t states = 0;
  std::int64_t moves = 0;
  int depth = 0;                        // every sequence up to here
  std::vector<std::int64_t> states_at;  // new at each depth
  RuleCounts counts;
  std::optional<std::string> broken;  // the rule, and how it came to it
};

std::string Describe(const Path& path);
SmallWorld Replay(const SearchOptions& options, const Path& path,
                  RuleCounts* counts);

// From each of the openings.
SearchResult Search(const SearchOptions& options,
                    const std::vector<Path>& openings);

}  // namespace tenure::exhaustive

#endif  // TENURE_TESTS_EXHAUSTIVE_SEARCH_H_
