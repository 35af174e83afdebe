// Child: a process that a drill started.
//
// Thread safety: the main thread of a process that has no other: it forks.
// Invariants: it dies with this process, and leads a process group of its own,
// so that a terminal's signals come to the drill alone.
#ifndef TENURE_DRILL_CHILD_H_
#define TENURE_DRILL_CHILD_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/drill/line_stream.h"
#include "sidecar/gate/signals.h"

namespace tenure {

struct ChildOrder {
  std::vector<std::string> words;  // the arguments of this very program
  // Beside our own environment without what configures Tenure.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string log;  // file for its stderr
  SignalState signals;
};

struct Child {
  pid_t pid = 0;  // 0: none
  LineStream out;
};

// Errors: kUnavailable.
Result<Child> StartChild(const ChildOrder& order);

// The last line of a file, cut; "" if there is none.
std::string LastLine(const std::string& file);

// Kills every process below this one, until none is left, and reaps them.
void KillEverything();

}  // namespace tenure

#endif  // TENURE_DRILL_CHILD_H_
