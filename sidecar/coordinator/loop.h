// Loop: the one thread that waits. It pumps the driver, runs the transport's
// asynchronous I/O, and brings other threads' control requests over.
//
// Thread safety: Run on one thread; Submit, Stop and Post from any.
// Invariants: Beats the board at least every 4 s while it makes progress
// (S12); nothing in it waits for readers, logs or DNS (S13).
#ifndef TENURE_COORDINATOR_LOOP_H_
#define TENURE_COORDINATOR_LOOP_H_

#include <functional>
#include <memory>

#include "sidecar/base/instant.h"
#include "sidecar/coordinator/control_port.h"
#include "sidecar/coordinator/driver.h"
#include "sidecar/coordinator/snapshot_board.h"

namespace boost::asio {
class io_context;
}

namespace tenure {

class Loop : public ControlPort {
 public:
  explicit Loop(SnapshotBoard* board);
  ~Loop() override;

  // What the loop-thread adapters (transport, watch sink) run on.
  boost::asio::io_context& context();

  // To be passed in the Driver's Environment.
  std::function<void()> Waker();

  enum class Exit {
    kDrained,       // finished after Drain
    kDrainTimeout,  // work did not end in time; nothing was released
    kStopped,       // Stop was called; nothing was released
  };

  // Pumps `driver` until it has drained or Stop was called. Once: what is left
  // then, and what is posted later, is never run.
  Exit Run(Driver* driver);

  // SIGTERM: drain, and give up after `limit`. From any thread; async-signal
  // handlers must go through a signal thread or signal_set.
  void Drain(Duration limit);
  void Stop();

  // Runs `task` on the loop thread soon. Bounded: false if too many wait.
  bool Post(std::function<void()> task);

  void Submit(const ControlRequest& request, Done done) override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_LOOP_H_
