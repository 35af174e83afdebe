// Sweep: many worlds, one seed each, on every core of the machine; what each
// showed comes back in the order of the seeds, whatever the threads did.
//
// Thread safety: pure functions; the worlds share nothing.
#ifndef TENURE_TESTS_SIM_SWEEP_H_
#define TENURE_TESTS_SIM_SWEEP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sim/fault_plan.h"

namespace tenure::sim {

struct SeedResult {
  std::uint64_t seed = 0;
  std::vector<std::string> violations;
};

// Sums over worlds.
struct Totals {
  FaultCounts faults{};
  std::int64_t worlds = 0;
  std::int64_t corrupted = 0;  // the unfenced store was
  std::int64_t acquisitions = 0;
  std::int64_t events = 0;
  int busiest_minute = 0;
  double lease_hours = 0;
  double node_hours = 0;  // one production driver running for an hour
  double processor_seconds = 0;
  double wall_seconds = 0;

  void Add(const Totals& other);
};

// From TENURE_SIM_MINUTES; ten minutes.
Duration SimulatedLength();

// The variable `name` as a number; `otherwise` if it is not set.
std::int64_t Setting(const char* name, std::int64_t otherwise);

// Runs the world of `seed`.
SeedResult RunSeed(std::uint64_t seed, Duration length, Totals* totals);

// Runs `seeds`; calls `found` for each that broke a claim, in the order given.
// `until_found`: no seed after the first of those is looked at.
Totals Sweep(const std::vector<std::uint64_t>& seeds, Duration length,
             bool until_found,
             const std::function<void(const SeedResult&)>& found);

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_SWEEP_H_
