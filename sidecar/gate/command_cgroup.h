// CommandCgroup: a control group of the command's own, where the system lets us
// make one: the kernel then kills everything in it at once, whatever forks.
// Where it does not, nothing is lost but that: descendants.h still finds them.
//
// Thread safety: one thread at a time; copies of a process may share one.
#ifndef TENURE_GATE_COMMAND_CGROUP_H_
#define TENURE_GATE_COMMAND_CGROUP_H_

#include <string>

namespace tenure {

class CommandCgroup {
 public:
  // Beside nobody: below the control group of this process (version 2).
  static CommandCgroup Make();

  bool made() const { return !folder_.empty(); }
  // The calling process, and all it will start. Safe after fork.
  void Join() const;
  void Kill() const;
  void Remove() const;  // once it is empty

 private:
  std::string folder_;  // empty: there is none
};

}  // namespace tenure

#endif  // TENURE_GATE_COMMAND_CGROUP_H_
