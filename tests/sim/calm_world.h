// Worlds without faults, for tests that steer one thing by hand.
#ifndef TENURE_TESTS_SIM_CALM_WORLD_H_
#define TENURE_TESTS_SIM_CALM_WORLD_H_

#include <chrono>

#include "sidecar/authority/renewal_schedule.h"
#include "tests/sim/fault_plan.h"
#include "tests/sim/world.h"

namespace tenure::sim {

inline WorldPlan CalmPlan(int nodes, Duration length) {
  WorldPlan plan;
  plan.seed = 1;
  plan.nodes = nodes;
  plan.times = *TimesForPreset("default");
  plan.length = length;
  plan.quiet_from = length;
  return plan;
}

// The node that is told "held" of lease 0 now; -1: none.
inline int HolderOf(World& world, int nodes) {
  for (int node = 0; node < nodes; ++node) {
    if (world.node(node).AnswerNow(0).certainty == Certainty::kHeld) {
      return node;
    }
  }
  return -1;
}

// Runs on, a millisecond at a time, until somebody but `except` holds; returns
// when. REQUIRES: that happens before `limit`.
inline TrueTime RunUntilHeld(World& world, int nodes, int except,
                             TrueTime limit) {
  while (world.scene().now() < limit) {
    const int holder = HolderOf(world, nodes);
    if (holder >= 0 && holder != except) break;
    world.RunUntil(world.scene().now() + std::chrono::milliseconds(1));
  }
  return world.scene().now();
}

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_CALM_WORLD_H_
