// BootTimer: a descriptor that becomes readable after a while, counted on the
// boot clock: time that the machine was suspended counts, unlike in poll(2).
//
// Thread safety: one thread at a time.
#ifndef TENURE_GATE_BOOT_TIMER_H_
#define TENURE_GATE_BOOT_TIMER_H_

#include "sidecar/base/instant.h"
#include "sidecar/gate/descriptor.h"

namespace tenure {

class BootTimer {
 public:
  BootTimer();

  int fd() const { return timer_.get(); }
  // Duration::max(): never.
  void Arm(Duration after);
  void Clear();  // after it became readable

 private:
  Descriptor timer_;
};

}  // namespace tenure

#endif  // TENURE_GATE_BOOT_TIMER_H_
