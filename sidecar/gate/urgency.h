// Urgency: the processor first for a guard, where the system lets it be so
// (CAP_SYS_NICE, or RLIMIT_RTPRIO; containers mostly may not). On a machine
// that has no processor to spare a guard of ordinary priority wakes tens of
// milliseconds after its deadline, and seldom more than its whole margin.
//
// Thread safety: of the calling thread.
#ifndef TENURE_GATE_URGENCY_H_
#define TENURE_GATE_URGENCY_H_

namespace tenure {

// Before all ordinary work from now on; what is forked is ordinary again. Where
// that is not permitted, nothing.
void BecomeUrgent();
// After the first round of kills: what follows may take long, and must not keep
// others from the processor.
void BecomeOrdinary();

}  // namespace tenure

#endif  // TENURE_GATE_URGENCY_H_
