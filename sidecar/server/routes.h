// Routes: which question a request asks, or why it is refused.
//
// Thread safety: pure functions.
#ifndef TENURE_SERVER_ROUTES_H_
#define TENURE_SERVER_ROUTES_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/authority/run_id.h"
#include "sidecar/server/http_message.h"

namespace tenure {

// Which listener a request came in on; it decides which routes there are.
enum class Surface {
  kStatusUnix,
  kStatusTcp,  // Host must be a loopback name
  kControl,    // the status routes too
  kProbe,      // Host must be localhost or an address: kubelets use the pod's
};

enum class Route {
  kStatus,
  kGeneration,
  kCheck,
  kWatch,
  kWork,
  kDone,
  kRelease,
  kRun,
  kFloor,
  kStartup,
  kLive,
  kReady,
  kMetrics,
};

// A request that may be answered.
struct Plan {
  Route route = Route::kStatus;
  std::optional<std::size_t> lease;  // index; none: all of them
  std::int64_t generation =
      0;  // check, work, done, release, run; floor's floor
  // run: the id alone; work, done, and status on the control socket: the run
  // that the work carries out, and by whom.
  WorkRun run;
  bool fresh = false;  // check: ask the API server first
  bool json = false;   // the client prefers JSON
  bool open_metrics = false;
};

const char* RouteName(Route route);  // "work", "done", ...

// Whether the loop must be asked before the answer can be computed.
bool NeedsLoop(const Plan& plan);

// `slot`: which of several leases a request is about that names none; without
// it such a request is refused.
// REQUIRES: `leases` is not empty.
std::expected<Plan, HttpReply> Resolve(
    const HttpRequest& request, Surface surface,
    const std::vector<std::string>& leases,
    std::optional<std::size_t> slot = std::nullopt);

}  // namespace tenure

#endif  // TENURE_SERVER_ROUTES_H_
