// The signals of a process that passes them on: they come as values, in their
// order, and none has its usual effect.
//
// Thread safety: the main thread only, before any other exists.
#ifndef TENURE_GATE_SIGNALS_H_
#define TENURE_GATE_SIGNALS_H_

#include <array>
#include <csignal>
#include <vector>

#include "sidecar/gate/descriptor.h"

namespace tenure {

inline constexpr std::array kForwardedSignals = {
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};

// How signals stood before we took them: what a command is given back.
struct SignalState {
  sigset_t mask{};
  struct sigaction pipe{};
  struct sigaction child{};
};

// Blocks what is forwarded, and SIGCHLD, and ignores SIGPIPE. One that was
// ignored before (nohup) stays ignored, and never comes; but SIGCHLD, because
// the kernel then reaps children itself, and how they ended is lost.
SignalState TakeSignals();
void GiveSignalsBack(const SignalState& before);

class SignalSource {
 public:
  SignalSource();
  int fd() const { return descriptor_.get(); }
  // Those that came, SIGCHLD left out.
  std::vector<int> Take();

 private:
  Descriptor descriptor_;
};

}  // namespace tenure

#endif  // TENURE_GATE_SIGNALS_H_
