#include "sidecar/gate/urgency.h"

#include <sched.h>

namespace tenure {
namespace {

void Become(int policy, int priority) {
  sched_param wanted{};
  wanted.sched_priority = priority;
  // Refused where it is not permitted: then it is as before.
  ::sched_setscheduler(0, policy, &wanted);
}

}  // namespace

void BecomeUrgent() {
  Become(SCHED_RR | SCHED_RESET_ON_FORK, ::sched_get_priority_min(SCHED_RR));
}

void BecomeOrdinary() {
  if (::sched_getscheduler(0) == (SCHED_RR | SCHED_RESET_ON_FORK)) {
    Become(SCHED_OTHER, 0);
  }
}

}  // namespace tenure
