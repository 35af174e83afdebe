// The watchdog's own side: what the forked process does until nothing is left
// of the command.
//
// Thread safety: a forked process of one thread.
#ifndef TENURE_GATE_WATCHDOG_PROCESS_H_
#define TENURE_GATE_WATCHDOG_PROCESS_H_

#include "sidecar/gate/command.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/descriptor.h"

namespace tenure {

// `link` carries WatchdogOrders in and WatchdogNews out; its end means that the
// guard is gone.
[[noreturn]] void RunWatchdog(const Command& command, const Deadline& kill_at,
                              Descriptor link);

}  // namespace tenure

#endif  // TENURE_GATE_WATCHDOG_PROCESS_H_
