// The thread cpprestsdk runs on (it calls it a pool), and timers on it. Private
// to the watch: nothing that authority rests on waits here.
//
// Invariants: Nothing that runs on it blocks, and nothing waits in it for
// another of its tasks: that would be a deadlock, and cpprestsdk's own
// time-outs would not fire.
#ifndef TENURE_KUBE_WATCH_POOL_H_
#define TENURE_KUBE_WATCH_POOL_H_

#include <functional>
#include <memory>

#include "sidecar/base/instant.h"

namespace tenure {

// Starts the thread, once; later calls do nothing.
void StartWatchPool();

// One pending task at a time. Thread safety: one thread at a time.
class PoolTimer {
 public:
  PoolTimer();
  ~PoolTimer();  // forgets the task
  PoolTimer(const PoolTimer&) = delete;
  PoolTimer& operator=(const PoolTimer&) = delete;

  // Runs `task` on the pool after `delay`, in place of the one before, which
  // may still run if its time had already come: the task must know whether it
  // is still wanted.
  void RunAfter(Duration delay, std::function<void()> task);
  void Cancel();

 private:
  class Clock;
  std::unique_ptr<Clock> clock_;
};

}  // namespace tenure

#endif  // TENURE_KUBE_WATCH_POOL_H_
