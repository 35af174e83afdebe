// ListedChildren: the children of one process as the kernel lists them, without
// a look at every other process of the machine. A list that changes while it is
// read may lack some: it serves to be early, not to be sure.
//
// Thread safety: any thread; reads /proc.
#ifndef TENURE_GATE_LISTED_CHILDREN_H_
#define TENURE_GATE_LISTED_CHILDREN_H_

#include <sys/types.h>

#include <optional>
#include <vector>

namespace tenure {

// Of all its threads. Nothing where /proc is another namespace's, where the
// kernel does not list children, or where there is no such process.
std::optional<std::vector<pid_t>> ListedChildren(pid_t parent);

}  // namespace tenure

#endif  // TENURE_GATE_LISTED_CHILDREN_H_
