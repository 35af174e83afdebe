// RunGated: waits for a sidecar to hold its lease, runs a command under it, and
// sees to it that the command and all it started are dead before the claim
// ends. waiter.h, guard.h and ending.h decide; this carries it out.
//
// Thread safety: the main thread of a process that has no other: it forks.
// Invariants: `done` is reported only when nothing is left of the command
// (S10).
#ifndef TENURE_GATE_GATED_RUN_H_
#define TENURE_GATE_GATED_RUN_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sidecar/gate/ending.h"
#include "sidecar/gate/guard.h"
#include "sidecar/gate/signals.h"
#include "sidecar/gate/waiter.h"

namespace tenure {

struct GateOptions {
  std::vector<std::string> command;  // not empty
  // Which word of it is the timeout of a gate inside this one: the time counts
  // for both together. 0: none.
  std::size_t timeout_word = 0;
  std::string lease;  // "": the sidecar's only one
  std::string control_socket;
  std::string status_socket;  // for the command; "": not told
  std::string run_id;         // for the command; "": not told
  WaiterOptions waiting;
  GuardOptions guarding;
  EndingOptions ending;
  SignalState signals;  // as they stood before TakeSignals
  // A sidecar that is a child of this process: its end is this process's, and
  // at the end it is told to release. 0: none.
  pid_t own_sidecar = 0;
  std::function<void(const std::string& line)> say;  // one line for a person
};

// The exit code.
int RunGated(const GateOptions& options);

}  // namespace tenure

#endif  // TENURE_GATE_GATED_RUN_H_
