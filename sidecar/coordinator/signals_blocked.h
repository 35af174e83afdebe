// SignalsBlocked: while it lives, this thread takes no signal, nor do threads
// that it starts, for as long as they run. Signals are for the thread that
// waits for them: a handler that runs elsewhere races with that thread's end.
//
// Thread safety: lives and dies on one thread.
#ifndef TENURE_COORDINATOR_SIGNALS_BLOCKED_H_
#define TENURE_COORDINATOR_SIGNALS_BLOCKED_H_

#include <csignal>

namespace tenure {

class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_SIGNALS_BLOCKED_H_
