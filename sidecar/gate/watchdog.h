// Watchdog: a process between the guard and the command. It starts the command,
// reaps what becomes of it, and kills every descendant at the deadline it was
// last told, whatever has become of the guard.
//
//   guard (tenure exec) ── watchdog ── command ── ...
//
// If the guard is stopped, the watchdog kills at the deadline; if it is killed,
// at once. If the watchdog is killed, the kernel kills the command with it,
// what that left comes to the guard, and the guard kills it.
//
// Thread safety: one thread at a time.
// Invariants: nobody believes a look at /proc that nothing is left. kGone is
// sent only when the kernel says that no child is left,
// and orphans come to the watchdog (PR_SET_CHILD_SUBREAPER): then nothing is
// left.
#ifndef TENURE_GATE_WATCHDOG_H_
#define TENURE_GATE_WATCHDOG_H_

#include <sys/types.h>

#include <optional>

#include "sidecar/base/error.h"
#include "sidecar/gate/command.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/descriptor.h"

namespace tenure {

struct WatchdogOrder {
  enum class Kind {
    kDeadline,     // kill at `kill_at`
    kSignalGroup,  // the command's process group
    kSignalAll,    // every descendant
    kKill,         // every descendant, until none is left
  };
  Kind kind = Kind::kDeadline;
  int signal = 0;
  Deadline kill_at;
};

struct WatchdogNews {
  enum class Kind {
    kNotStarted,  // `code` is errno
    kExited,      // the command; `code` as shells report it
    kGone,        // and all it started
  };
  Kind kind = Kind::kGone;
  int code = 0;
};

class Watchdog {
 public:
  // Starts it, and the command with it.
  static Result<Watchdog> Start(const Command& command,
                                const Deadline& kill_at);

  pid_t pid() const { return pid_; }
  int fd() const { return link_.get(); }  // -1: it has ended

  // Lost if the watchdog is gone, or stopped for so long that no more fits.
  void Tell(const WatchdogOrder& order);
  // Once readable. Empty: nothing more for now; see fd().
  std::optional<WatchdogNews> Read();

 private:
  Watchdog(pid_t pid, Descriptor link) : pid_(pid), link_(std::move(link)) {}

  pid_t pid_;
  Descriptor link_;
};

}  // namespace tenure

#endif  // TENURE_GATE_WATCHDOG_H_
