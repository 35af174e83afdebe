// GET /v1/watch of a sidecar's local surface, until told to stop.
//
// Thread safety: any thread; waits.
#ifndef TENURE_CLI_LOCAL_WATCH_H_
#define TENURE_CLI_LOCAL_WATCH_H_

#include <functional>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/local_client.h"

namespace tenure {

// What is done meanwhile, whatever comes.
struct WatchTick {
  Duration every{0};  // 0: nothing
  std::function<void()> run;
};

// Calls `on_event` with each status document until it returns false. Errors:
// kDeadlineExceeded after `limit`; kUnavailable if nobody answers, or the
// stream ended; kInvalidArgument for a 4xx, kThrottled for a 5xx, each with
// its first line.
Result<void> LocalWatch(
    const LocalAddress& address, const std::string& target, Duration limit,
    const std::function<bool(const std::string& document)>& on_event,
    const WatchTick& tick = {});

}  // namespace tenure

#endif  // TENURE_CLI_LOCAL_WATCH_H_
