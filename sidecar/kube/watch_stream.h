// WatchStream: the watch on one Lease, over cpprestsdk. A hint only (S3): its
// loss costs latency, never safety, and it can be switched off.
//
// Thread safety: Start, Stop and the sink on the loop thread; cpprestsdk's own
// thread (started with the first watch) never calls the sink itself.
#ifndef TENURE_KUBE_WATCH_STREAM_H_
#define TENURE_KUBE_WATCH_STREAM_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sidecar/base/instant.h"
#include "sidecar/coordinator/lease_watch.h"
#include "sidecar/kube/api_access.h"

namespace tenure {

struct WatchTiming {
  // To dial, shake hands and be answered.
  Duration opening = std::chrono::seconds(10);
  // Open for this long, a connection was a good one: failures are forgotten.
  Duration stable = std::chrono::seconds(5);
  // Without a byte (the server sends a bookmark a minute) the watch is opened
  // afresh.
  Duration silence = std::chrono::seconds(90);
  // What the server is asked to end the watch after, and up to a quarter more.
  std::chrono::seconds server_limit{240};
  // Back-off: from, and at most; and at most while no server answers, which
  // costs nobody anything.
  Duration first_delay = std::chrono::milliseconds(50);
  Duration longest_delay = std::chrono::seconds(10);
  Duration longest_unanswered_delay = std::chrono::seconds(2);
  // A server that has just started forbids what it will allow once its roles
  // are loaded: 403 is final only when it was said this often in a row.
  int forbidden_answers = 6;
};

// `post` runs a task on the loop thread, later: never before it returns; false
// if too many wait, and the watch tries again. `access` must outlive the watch.
// Equal seeds give equal delays. Endpoints that cpprestsdk cannot serve
// (proxies; IPv6 literals with Debian's build of it) end in one kDenied event
// that says so: the standby polls.
std::unique_ptr<LeaseWatch> NewWatchStream(
    std::function<bool(std::function<void()>)> post, AccessSource* access,
    const std::string& name_space, const std::string& lease,
    const std::string& user_agent, std::uint64_t jitter_seed,
    const WatchTiming& timing = {});

}  // namespace tenure

#endif  // TENURE_KUBE_WATCH_STREAM_H_
