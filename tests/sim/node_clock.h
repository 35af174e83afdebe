// NodeClock: the three clocks of one machine as functions of true time: boot
// and raw run at rates of their own, raw stops in suspension, all stop in a
// paused virtual machine, wall follows boot and is stepped.
//
// The whole past is kept, so that checkers can ask what a reader would have
// been told at any true instant.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_NODE_CLOCK_H_
#define TENURE_TESTS_SIM_NODE_CLOCK_H_

#include <cstdint>
#include <vector>

#include "sidecar/base/instant.h"
#include "tests/sim/event_queue.h"

namespace tenure::sim {

// In parts per million of true time, around 0.
struct ClockRates {
  std::int32_t boot_ppm = 0;
  std::int32_t raw_ppm = 0;
};

class NodeClock {
 public:
  // `offset`: how far this machine's clocks are from its neighbours'.
  NodeClock(Duration offset, ClockRates rates);

  Moment At(TrueTime time) const;
  // The same, remembered: one instant is asked for again and again.
  const Moment& Now(TrueTime now);

  void SetRates(TrueTime now, ClockRates rates);
  ClockRates rates() const { return rates_; }
  void StepWall(TrueTime now, Duration by);
  void Suspend(TrueTime now);  // raw stops; boot and wall run
  void PauseVm(TrueTime now);  // all stop
  // After a paused machine the wall stands behind by what was missed.
  void Resume(TrueTime now);

  // How long a timer set for `local` takes in true time (timers run on raw).
  Duration TrueDelay(Duration local) const;

 private:
  struct Segment {
    TrueTime start{0};
    Moment base;
    ClockRates rates;
    bool boot_runs = true;
    bool raw_runs = true;
  };

  Segment& Begin(TrueTime now);

  ClockRates rates_;
  std::vector<Segment> segments_;
  TrueTime asked_{-1};
  Moment told_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_NODE_CLOCK_H_
