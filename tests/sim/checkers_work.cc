// Claims about guarded work: commands under a guard, and floors it reports.
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/sim/checkers.h"

namespace tenure::sim {
namespace {

// Long enough after a standstill for the guard to wake and to kill: whoever
// stood still when it was to act is dead this soon after.
constexpr Duration kThawed = std::chrono::milliseconds(50);

std::string Describe(const ChildRun& child, TrueTime at) {
  return "node " + std::to_string(child.node) + " lease " +
         std::to_string(child.lease) + " generation " +
         std::to_string(child.generation) + " (at " +
         std::to_string(
             std::chrono::duration_cast<std::chrono::milliseconds>(at)
                 .count()) +
         " ms)";
}

bool StoodStill(const History& history, const ChildRun& child, TrueTime at) {
  return std::any_of(history.standstills.begin(), history.standstills.end(),
                     [&](const Standstill& one) {
                       return one.node == child.node && one.from <= at &&
                              (one.to >= at || at - one.to <= kThawed);
                     });
}

}  // namespace

Verdict ChildrenDieBeforeTheClaimEnds(const History& history) {
  std::map<std::tuple<int, int, std::int64_t>, std::vector<const Published*>>
      terms;
  for (const Published& one : history.published) {
    if (!one.grounds.term) continue;
    terms[{one.node, one.lease, one.grounds.term->generation}].push_back(&one);
  }
  for (const ChildRun& child : history.children) {
    const TrueTime end = std::min(child.ended, history.length);
    const auto& published = terms[{child.node, child.lease, child.generation}];
    const Moment at =
        history.clocks[static_cast<std::size_t>(child.node)].At(end);
    const bool claimed = std::any_of(
        published.begin(), published.end(), [&](const Published* one) {
          const TermSnapshot& term = *one->grounds.term;
          return one->at <= end &&
                 LongestElapsed(term.sent.instant, at.instant) < term.valid_for;
        });
    if (!claimed && !StoodStill(history, child, end)) {
      return Describe(child, end);
    }
  }
  return std::nullopt;
}

Verdict AcquiresAboveTheFloor(const History& history) {
  for (const FloorTaken& taken : history.floors) {
    for (std::size_t i = taken.sent_before; i < history.sent.size(); ++i) {
      const Sent& sent = history.sent[i];
      if (sent.kind == RequestKind::kAcquire && sent.node == taken.node &&
          sent.lease == taken.lease && sent.process == taken.process &&
          sent.generation <= taken.floor) {
        return "node " + std::to_string(sent.node) + " lease " +
               std::to_string(sent.lease) + " asked for " +
               std::to_string(sent.generation) + " under a floor of " +
               std::to_string(taken.floor);
      }
    }
  }
  return std::nullopt;
}

}  // namespace tenure::sim
