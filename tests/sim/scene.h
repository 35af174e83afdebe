// Scene: what every part of a world shares: its time, its chance, its history.
#ifndef TENURE_TESTS_SIM_SCENE_H_
#define TENURE_TESTS_SIM_SCENE_H_

#include <cstdint>

#include "tests/sim/chance.h"
#include "tests/sim/event_queue.h"
#include "tests/sim/history.h"

namespace tenure::sim {

struct Scene {
  explicit Scene(std::uint64_t seed) : chance(seed) {}

  EventQueue queue;
  Chance chance;
  History history;

  TrueTime now() const { return queue.now(); }
  void Count(Fault fault) { ++history.faults[static_cast<std::size_t>(fault)]; }
  void Note(Incident::Kind kind, int node, int lease, std::int64_t number) {
    history.incidents.push_back(Incident{now(), kind, node, lease, number});
  }
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_SCENE_H_
