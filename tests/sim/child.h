// Child: what `tenure exec` runs in one pod under one lease, watched by the
// production guard. It never ends by itself and does what it is told not at
// once, or not at all: only the guard's kill is sure, and it takes a while.
//
// Its chance is its own, and nothing it does reaches the sidecar: the world
// around it is the same with it and without it.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_CHILD_H_
#define TENURE_TESTS_SIM_CHILD_H_

#include <cstdint>
#include <optional>

#include "sidecar/gate/guard.h"
#include "tests/sim/node.h"
#include "tests/sim/scene.h"

namespace tenure::sim {

class Child {
 public:
  Child(Scene* scene, SimNode* node, int lease, std::uint64_t seed)
      : scene_(scene), node_(node), lease_(lease), chance_(seed) {}

  // A term was published: a cue to ask.
  void Hear();
  // The pod runs again: what was due meanwhile is done now.
  void Resume();

 private:
  void AskIn(Duration delay);
  void Ask();
  void Take(const Report& report);
  void Act();
  void ActIn(Duration delay);
  void DieIn(Duration delay);

  Scene* const scene_;
  SimNode* const node_;
  const int lease_;
  Chance chance_;

  std::optional<Guard> guard_;  // while the child lives
  std::size_t record_ = 0;      // where it stands in History::children
  bool asking_ = false;
  TrueTime dies_at_ = TrueTime::max();
  std::uint64_t act_ = 0;  // the next look; what else is queued is void
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_CHILD_H_
