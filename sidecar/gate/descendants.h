// Descendants: every process below one in the tree, as /proc shows it: children
// and theirs, in whatever session or process group.
//
// Thread safety: any thread; reads /proc.
// Invariants: a signal goes to the very process that was found, not to one that
// has its number since (pidfd).
#ifndef TENURE_GATE_DESCENDANTS_H_
#define TENURE_GATE_DESCENDANTS_H_

#include <sys/types.h>

#include <cstddef>

namespace tenure {

// Processes that are no part of the work.
struct Spared {
  pid_t alone = 0;  // not it, but what is below it
  pid_t whole = 0;  // it and what is below it
};

// Sends `signal` to those below `root` that the kernel lists as children and
// theirs. On a machine that has no processor to spare a look at every process
// takes a second, and this a hundredth of it; but it may miss some, so it comes
// before that look and never in its place. Nothing where nothing is listed.
void SignalListed(pid_t root, const Spared& spared, int signal);

// SIGKILL in the same way, again and again until a look shows nobody new: of
// one that dies just then the children are listed elsewhere, and the look at
// every process would come to them too late.
void KillListed(pid_t root, const Spared& spared);

// Sends `signal` (0: none) to all that live below `root`. Returns how many
// there were; zombies do not count, for they run nothing. A process that is
// born meanwhile may be missed: ask again. 1 if /proc could not be read.
std::size_t SignalDescendants(pid_t root, const Spared& spared, int signal);

// Whether a signal stopped it.
bool IsStopped(pid_t pid);

// Whether /proc shows the processes of this PID namespace: without it nobody
// can say that nothing is left of a command.
bool SeesProcesses();

}  // namespace tenure

#endif  // TENURE_GATE_DESCENDANTS_H_
