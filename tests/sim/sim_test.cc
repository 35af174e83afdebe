// Many worlds, one seed each, and every checker over every history.
//
// TENURE_SIM_SEEDS: how many seeds (200); TENURE_SIM_SEED: just that one, with
// its plan and its transitions printed; TENURE_SIM_MINUTES: simulated (10).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/checkers.h"
#include "tests/sim/world.h"

namespace tenure::sim {
namespace {

std::int64_t Setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

Duration SimulatedLength() {
  return std::chrono::minutes(Setting("TENURE_SIM_MINUTES", 10));
}

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

struct Totals {
  FaultCounts faults{};
  std::int64_t worlds = 0;
  std::int64_t corrupted = 0;
  std::int64_t acquisitions = 0;
  std::int64_t events = 0;
  int busiest_minute = 0;
  double lease_hours = 0;
};

void RunSeed(std::uint64_t seed, Totals* totals) {
  const WorldPlan plan = PlanWorld(seed, SimulatedLength());
  World world(plan);
  world.Run();
  const History& history = world.history();
  const std::vector<std::string> violations = Violations(history);
  EXPECT_THAT(violations, testing::IsEmpty())
      << "seed " << seed << "; repeat with: TENURE_SIM_SEED=" << seed
      << " make sim";
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    totals->faults[i] += history.faults[i];
  }
  ++totals->worlds;
  totals->corrupted += UnfencedStoreWasCorrupted(history) ? 1 : 0;
  for (const Applied& applied : history.applied) {
    totals->acquisitions += applied.kind == RequestKind::kAcquire ? 1 : 0;
  }
  totals->events += static_cast<std::int64_t>(world.scene().queue.executed());
  totals->busiest_minute =
      std::max(totals->busiest_minute, BusiestMinute(history));
  totals->lease_hours +=
      plan.leases * std::chrono::duration<double>(plan.length).count() / 3600;
}

void Report(const Totals& totals, double seconds) {
  std::printf(
      "%lld worlds, %.1f simulated lease-hours in %.1f s of processor time: "
      "%.0f lease-hours a second; %lld events, %lld acquisitions, busiest "
      "minute %d requests; "
      "the unfenced store was corrupted in %lld worlds\n",
      static_cast<long long>(totals.worlds), totals.lease_hours, seconds,
      totals.lease_hours / seconds, static_cast<long long>(totals.events),
      static_cast<long long>(totals.acquisitions), totals.busiest_minute,
      static_cast<long long>(totals.corrupted));
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    std::printf("  %-16s %lld\n", FaultName(static_cast<Fault>(i)),
                static_cast<long long>(totals.faults[i]));
  }
}

TEST(Simulation, EveryClaimHoldsInEveryWorld) {
  Totals totals;
  const std::int64_t only = Setting("TENURE_SIM_SEED", -1);
  if (only >= 0) {
    const auto seed = static_cast<std::uint64_t>(only);
    Print(PlanWorld(seed, SimulatedLength()));
    World world(PlanWorld(seed, SimulatedLength()));
    world.Run();
    Print(world.history());
    RunSeed(seed, &totals);
    return;
  }
  const std::clock_t begin = std::clock();
  for (const std::uint64_t seed : KeptSeeds()) RunSeed(seed, &totals);
  const std::int64_t seeds = Setting("TENURE_SIM_SEEDS", 200);
  const std::int64_t first = Setting("TENURE_SIM_FIRST", 1);
  for (std::int64_t i = 0; i < seeds; ++i) {
    RunSeed(static_cast<std::uint64_t>(first + i), &totals);
  }
  Report(totals, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  if (HasFailure() || totals.worlds < 100) return;
  // The faults bite: each kind happens often, and a store that is not fenced
  // is corrupted by them.
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    EXPECT_GE(totals.faults[i] * 20, totals.worlds)
        << FaultName(static_cast<Fault>(i)) << " hardly ever happened";
  }
  EXPECT_GE(totals.corrupted * 100, totals.worlds);
}

TEST(Simulation, OneSeedGivesOneHistory) {
  const auto run = [] {
    World world(PlanWorld(7, std::chrono::minutes(3)));
    world.Run();
    std::ostringstream text;
    for (const Sent& sent : world.history().sent) {
      text << sent.at.count() << " " << sent.node << " " << sent.mark << "\n";
    }
    return text.str();
  };
  const std::string first = run();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, run());
}

}  // namespace
}  // namespace tenure::sim
