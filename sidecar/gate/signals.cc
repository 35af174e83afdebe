#include "sidecar/gate/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

sigset_t Taken() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kForwardedSignals) sigaddset(&set, signal);
  sigaddset(&set, SIGCHLD);
  return set;
}

}  // namespace

SignalState TakeSignals() {
  SignalState before;
  const sigset_t set = Taken();
  CHECK(sigprocmask(SIG_BLOCK, &set, &before.mask) == 0);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  CHECK(sigaction(SIGPIPE, &ignore, &before.pipe) == 0);
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  CHECK(sigaction(SIGCHLD, &usual, &before.child) == 0);
  return before;
}

void GiveSignalsBack(const SignalState& before) {
  sigaction(SIGPIPE, &before.pipe, nullptr);
  sigaction(SIGCHLD, &before.child, nullptr);
  sigprocmask(SIG_SETMASK, &before.mask, nullptr);
}

SignalSource::SignalSource() {
  const sigset_t set = Taken();
  descriptor_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  CHECK(descriptor_.get() >= 0);
}

std::vector<int> SignalSource::Take() {
  constexpr int kMost = 64;
  std::vector<int> signals;
  for (int i = 0; i < kMost; ++i) {
    signalfd_siginfo info{};
    if (::read(descriptor_.get(), &info, sizeof info) !=
        static_cast<ssize_t>(sizeof info)) {
      break;
    }
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal != SIGCHLD) signals.push_back(signal);
  }
  return signals;
}

}  // namespace tenure
