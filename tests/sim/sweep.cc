#include "tests/sim/sweep.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>

#include "tests/sim/checkers.h"
#include "tests/sim/world.h"

namespace tenure::sim {

void Totals::Add(const Totals& other) {
  for (std::size_t i = 0; i < kFaultKinds; ++i) faults[i] += other.faults[i];
  worlds += other.worlds;
  corrupted += other.corrupted;
  acquisitions += other.acquisitions;
  events += other.events;
  busiest_minute = std::max(busiest_minute, other.busiest_minute);
  lease_hours += other.lease_hours;
  node_hours += other.node_hours;
}

std::int64_t Setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

Duration SimulatedLength() {
  return std::chrono::minutes(Setting("TENURE_SIM_MINUTES", 10));
}

SeedResult RunSeed(std::uint64_t seed, Duration length, Totals* totals) {
  const WorldPlan plan = PlanWorld(seed, length);
  World world(plan);
  world.Run();
  const History& history = world.history();
  SeedResult result{seed, Violations(history)};
  Totals one;
  one.faults = history.faults;
  one.worlds = 1;
  one.corrupted = UnfencedStoreWasCorrupted(history) ? 1 : 0;
  one.acquisitions =
      std::count_if(history.applied.begin(), history.applied.end(),
                    [](const Applied& applied) {
                      return applied.kind == RequestKind::kAcquire;
                    });
  one.events = static_cast<std::int64_t>(world.scene().queue.executed());
  one.busiest_minute = BusiestMinute(history, TrueTime{0});
  one.lease_hours =
      plan.leases * std::chrono::duration<double>(length).count() / 3600;
  one.node_hours = one.lease_hours * plan.nodes;
  totals->Add(one);
  return result;
}

Totals Sweep(const std::vector<std::uint64_t>& seeds, Duration length,
             bool until_found,
             const std::function<void(const SeedResult&)>& found) {
  const std::clock_t processor = std::clock();
  const auto wall = std::chrono::steady_clock::now();
  Totals totals;
  std::atomic<std::size_t> next{0};
  // Seeds from here on are not looked at.
  std::atomic<std::size_t> end{seeds.size()};
  std::mutex mutex;  // guards totals and bad
  std::vector<std::pair<std::size_t, SeedResult>> bad;
  const auto work = [&] {
    Totals own;
    for (std::size_t i = next++; i < end; i = next++) {
      SeedResult result = RunSeed(seeds[i], length, &own);
      if (result.violations.empty()) continue;
      const std::lock_guard lock(mutex);
      bad.emplace_back(i, std::move(result));
      if (until_found) end = std::min<std::size_t>(end, i);
    }
    const std::lock_guard lock(mutex);
    totals.Add(own);
  };
  std::vector<std::thread> threads;
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < cores; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();

  std::sort(bad.begin(), bad.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  if (until_found && bad.size() > 1) bad.resize(1);
  for (const auto& [index, result] : bad) found(result);
  totals.processor_seconds =
      static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  totals.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall)
          .count();
  return totals;
}

}  // namespace tenure::sim
