// Urgency: the processor before all ordinary work for a guard, where the system
// lets it be so (CAP_SYS_NICE, or RLIMIT_RTPRIO; containers mostly may not). On
// a machine that has no processor to spare a guard of ordinary priority wakes
// tens of milliseconds after its deadline, and seldom more than its whole
// margin.
//
// Thread safety: the one thread of a process that has no other.
#ifndef TENURE_GATE_URGENCY_H_
#define TENURE_GATE_URGENCY_H_

namespace tenure {

// Tries it in a child, because a filter of system calls may kill who asks; what
// is forked later knows. False also where the priority is no ordinary one,
// which somebody chose, or where real-time work may run only for so long.
bool MayBecomeUrgent();

// From now on; what is forked is ordinary. Nothing if MayBecomeUrgent did not
// find it permitted.
void BecomeUrgent();
// As before. After the first round of kills: what follows may take long, and
// must not keep others from the processor.
void BecomeOrdinary();

}  // namespace tenure

#endif  // TENURE_GATE_URGENCY_H_
