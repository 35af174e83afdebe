// CommandRun: the command and its watchdog as processes: starts them, carries
// out what the guard orders, tells it what became of them.
//
// Thread safety: the main thread of a process that has no other: it forks.
#ifndef TENURE_GATE_COMMAND_RUN_H_
#define TENURE_GATE_COMMAND_RUN_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/gate/command.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/guard.h"
#include "sidecar/gate/watchdog.h"

namespace tenure {

class CommandRun {
 public:
  explicit CommandRun(Command command);

  Result<void> Start(const Deadline& kill_at);

  // To be polled; -1: none.
  int fd() const { return watchdog_ ? watchdog_->fd() : -1; }
  // Started, and its watchdog has ended before it said that nothing is left.
  bool orphaned() const { return watchdog_ && watchdog_->fd() < 0; }

  // ... and it was not us who ended it.
  bool watchdog_was_killed() const { return orphaned() && !ended_watchdog_; }

  // The watchdog kills at this instant, too.
  void SetDeadline(const Deadline& kill_at);
  // `spared` is no part of the work, nor what is below it; 0: nothing.
  void CarryOut(const GuardOrders& orders, pid_t spared, Guard* guard);
  // Reads what the watchdog said.
  void TakeNews(const Instant& now, Guard* guard);
  // A child of ours was reaped.
  void NoteReaped(pid_t pid);
  // Once nothing is left: the watchdog has nothing more to do, and its zombie
  // is not for others to reap.
  void ReapWatchdog();

  // Why the command could not be run: errno; 0: it could.
  int start_error() const { return start_error_; }
  const std::string& name() const { return command_.words.front(); }

 private:
  void KillAll(pid_t spared, Guard* guard);

  Command command_;
  std::optional<Watchdog> watchdog_;
  bool watchdog_reaped_ = false;
  int start_error_ = 0;
  bool ended_watchdog_ = false;  // by us
  int looks_with_watchdog_ = 0;
  int empty_looks_ = 0;
};

}  // namespace tenure

#endif  // TENURE_GATE_COMMAND_RUN_H_
