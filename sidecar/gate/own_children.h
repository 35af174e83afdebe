// OwnChildren: the children of this process, the dead among them included until
// they are reaped. Its own numbers cannot become another's before that, so a
// signal to one needs no second look.
//
// Thread safety: the one thread of a process that has no other, which alone
// reaps.
#ifndef TENURE_GATE_OWN_CHILDREN_H_
#define TENURE_GATE_OWN_CHILDREN_H_

#include <sys/types.h>

namespace tenure {

// Sends SIGKILL to all but `spared`, and to those that come meanwhile, as long
// as any do: what forks and ends without pause is gone again before a look at
// all processes comes to it, but its orphans come here. Nothing where the
// kernel does not list them.
void KillOwnChildren(pid_t spared);

enum class Left {
  kNothing,  // the kernel says so
  kSomething,
  kUnknown,  // there is `spared`, and the kernel does not list children
};

// Whether there is a child but `spared` (0: none).
Left OwnChildrenLeft(pid_t spared);

}  // namespace tenure

#endif  // TENURE_GATE_OWN_CHILDREN_H_
