// RunChild: one program run to its end without a shell, its output captured.
//
// Thread safety: any thread. Blocks up to the limit: the refresher thread only
// (S13).
// Invariants: one child at a time can be killed by KillRunningChild, the
// latest; the child inherits no descriptor of ours (it would keep a socket open
// past our reset) and no signal mask; past the limit its process group is
// killed.
#ifndef TENURE_KUBE_CHILD_PROCESS_H_
#define TENURE_KUBE_CHILD_PROCESS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

struct ChildCommand {
  std::string command;  // looked up in PATH unless it has a slash
  std::vector<std::string> args;
  // Added to our own environment, or in place of what is there.
  std::vector<std::pair<std::string, std::string>> env;
  Duration limit{0};
  std::size_t max_output = 0;  // bytes of standard output
};

struct ChildEnd {
  int exit_code = 0;   // 128 + n for a signal
  std::string output;  // standard output
  std::string errors;  // the first 4 KiB of standard error
};

// Errors: kNotFound (no such program), kDeadlineExceeded, kUnavailable.
Result<ChildEnd> RunChild(const ChildCommand& command);

// Kills what RunChild is running, with its process group: for a process about
// to end by _exit, which would leave it behind. Any thread; async-signal-safe.
void KillRunningChild();
// What it is, as it was named, cut where it is long; "" if there is none. As
// that, but only until the child ends.
const char* RunningChild();

}  // namespace tenure

#endif  // TENURE_KUBE_CHILD_PROCESS_H_
