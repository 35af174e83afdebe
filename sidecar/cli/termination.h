// Termination: what SIGTERM and SIGINT do.
//
// Before Arm they end the process at once: nothing is held yet, and a
// credential plugin that is running is killed with it. After it the first one
// calls back on the loop thread, and the second ends the process at once,
// unreleased, even if that thread is stuck. As process 1 of a container there
// is no default action, so all of it needs handlers.
//
// Thread safety: the main thread, before others start; the handlers are
// async-signal-safe.
#ifndef TENURE_CLI_TERMINATION_H_
#define TENURE_CLI_TERMINATION_H_

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace tenure {

class Termination {
 public:
  // Installs the handlers, and ignores SIGPIPE. One for each process.
  Termination();
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

  // `first` runs on `context` after the first signal.
  void Arm(boost::asio::io_context& context, std::function<void()> first);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure

#endif  // TENURE_CLI_TERMINATION_H_
