// Command: the program behind the gate, and how the process that was forked for
// it becomes it.
//
// Thread safety: values; BecomeCommand in a forked process of one thread.
#ifndef TENURE_GATE_COMMAND_H_
#define TENURE_GATE_COMMAND_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "sidecar/gate/command_cgroup.h"
#include "sidecar/gate/signals.h"

namespace tenure {

struct Command {
  std::vector<std::string> words;  // the first is looked up in PATH
  // In place of, or beside, our own environment.
  std::vector<std::pair<std::string, std::string>> environment;
  SignalState signals;
  CommandCgroup cgroup;
};

// Leads a process group of its own, dies with `parent`, and runs the command
// without a shell: not even for a script that names no interpreter. Returns
// errno, or 0 if the parent is gone already.
int BecomeCommand(const Command& command, pid_t parent);

}  // namespace tenure

#endif  // TENURE_GATE_COMMAND_H_
