// Many worlds, one seed each, and every checker over every history.
//
// TENURE_SIM_SEEDS: how many seeds, from TENURE_SIM_FIRST on; TENURE_SIM_SEED:
// just that one, with its plan and every event; TENURE_SIM_MINUTES: simulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/sim/checkers.h"
#include "tests/sim/digest.h"
#include "tests/sim/sweep.h"
#include "tests/sim/world.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kSeeds = 4000;
// Fewer than this say nothing about how often a fault happens.
constexpr std::int64_t kSeedsToJudgeFaults = 2000;
constexpr std::int64_t kTimesEach = 100;

std::vector<std::uint64_t> KeptSeeds() {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/sim/seeds.txt");
  std::vector<std::uint64_t> seeds;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    seeds.push_back(std::stoull(line));  // up to the first blank
  }
  return seeds;
}

void Print(const WorldPlan& plan) {
  std::printf("%d nodes, %d leases, D=%d, %s, work %s\n", plan.nodes,
              plan.leases, plan.times.lease_duration_seconds,
              plan.within_allowance ? "within" : "beyond",
              plan.registers_work ? "registered" : "unregistered");
  for (const PlannedFault& fault : plan.faults) {
    std::printf("%10.3f for %7.3f: node %d lease %d %s\n",
                std::chrono::duration<double>(fault.at).count(),
                std::chrono::duration<double>(fault.lasts).count(), fault.node,
                fault.lease, FaultName(fault.kind));
  }
}

// One line an event, in the order of true time.
void Print(const History& history) {
  std::multimap<TrueTime, std::string> lines;
  const auto who = [](int node, int lease) {
    return "node " + std::to_string(node) + " lease " + std::to_string(lease) +
           " ";
  };
  for (const Transitioned& one : history.transitions) {
    lines.emplace(
        one.at, who(one.node, one.lease) + "* " + TransitionKindName(one.kind) +
                    " " + std::to_string(one.generation) + " " + one.reason);
  }
  for (const Sent& one : history.sent) {
    lines.emplace(one.at, who(one.node, one.lease) + "> " +
                              RequestKindName(one.kind) + " " +
                              std::to_string(one.generation));
  }
  for (const Applied& one : history.applied) {
    lines.emplace(one.at, who(one.node, one.lease) + "applied " +
                              RequestKindName(one.kind) + " " +
                              std::to_string(one.generation));
  }
  for (const StoreWrite& one : history.store_writes) {
    lines.emplace(one.at, who(one.node, one.lease) + "store " +
                              (one.raise ? "raise " : "write ") +
                              std::to_string(one.generation) + " of term " +
                              std::to_string(one.term) +
                              (one.accepted ? "" : " refused"));
  }
  for (const Incident& one : history.incidents) {
    lines.emplace(one.at, who(one.node, one.lease) + "incident " +
                              std::to_string(static_cast<int>(one.kind)) + " " +
                              std::to_string(one.number));
  }
  for (const auto& [at, line] : lines) {
    std::printf("%10.3f %s\n", std::chrono::duration<double>(at).count(),
                line.c_str());
  }
}

// TENURE_SIM_SEED: this one world, event by event.
void ShowOne(std::uint64_t seed) {
  const WorldPlan plan = PlanWorld(seed, SimulatedLength());
  Print(plan);
  World world(plan);
  world.Run();
  Print(world.history());
  EXPECT_THAT(Violations(world.history()), testing::IsEmpty());
}

void Report(const Totals& totals) {
  std::printf(
      "%lld worlds, %.0f simulated lease-hours (%.0f of single nodes) in %.1f "
      "s "
      "of processor time and %.1f s of wall time: %.0f lease-hours (%.0f of "
      "single nodes) a second and core; %lld events, %lld acquisitions, "
      "busiest "
      "minute %d requests; the unfenced store was corrupted in %lld worlds\n",
      static_cast<long long>(totals.worlds), totals.lease_hours,
      totals.node_hours, totals.processor_seconds, totals.wall_seconds,
      totals.lease_hours / totals.processor_seconds,
      totals.node_hours / totals.processor_seconds,
      static_cast<long long>(totals.events),
      static_cast<long long>(totals.acquisitions), totals.busiest_minute,
      static_cast<long long>(totals.corrupted));
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    std::printf("  %-20s %9lld\n", FaultName(static_cast<Fault>(i)),
                static_cast<long long>(totals.faults[i]));
  }
}

TEST(Simulation, EveryClaimHoldsInEveryWorld) {
  const std::int64_t only = Setting("TENURE_SIM_SEED", -1);
  if (only >= 0) return ShowOne(static_cast<std::uint64_t>(only));
  std::vector<std::uint64_t> seeds = KeptSeeds();
  const std::int64_t first = Setting("TENURE_SIM_FIRST", 1);
  const std::int64_t count = Setting("TENURE_SIM_SEEDS", kSeeds);
  for (std::int64_t i = 0; i < count; ++i) {
    seeds.push_back(static_cast<std::uint64_t>(first + i));
  }
  const Totals totals =
      Sweep(seeds, SimulatedLength(), false, [](const SeedResult& bad) {
        ADD_FAILURE() << "seed " << bad.seed << ": "
                      << testing::PrintToString(bad.violations)
                      << "\nrepeat with: TENURE_SIM_SEED=" << bad.seed
                      << " make sim\nand keep it: add " << bad.seed
                      << " to tests/sim/seeds.txt";
      });
  Report(totals);
  if (HasFailure() || count < kSeedsToJudgeFaults) return;
  // The faults bite: each kind happens often, and a store that is not fenced
  // is corrupted by them.
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    EXPECT_GE(totals.faults[i], kTimesEach)
        << FaultName(static_cast<Fault>(i)) << " hardly ever happened";
  }
  EXPECT_GE(totals.corrupted * 100, totals.worlds);
}

// The same seed gives the same history in every build: digests.txt has what it
// is; TENURE_REWRITE_GOLDEN=1 writes it anew after a change of the core, of the
// driver or of the worlds.
TEST(Simulation, OneSeedGivesOneHistory) {
  const std::string path =
      std::string(TENURE_SOURCE_DIR) + "/tests/sim/digests.txt";
  const std::string now = Digests();
  if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << now;
  }
  std::ifstream in(path);
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(kept, now) << "if that was intended: TENURE_REWRITE_GOLDEN=1 make "
                          "sim";
}

}  // namespace
}  // namespace tenure::sim
