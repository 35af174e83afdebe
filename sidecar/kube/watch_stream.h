// WatchStream: the watch on one Lease, over cpprestsdk. A hint only (S3): its
// loss costs latency, never safety, and it can be switched off.
//
// Thread safety: Start, Stop and the sink on the loop thread; cpprestsdk's own
// pool (two threads, started with the first watch) never calls the sink itself.
#ifndef TENURE_KUBE_WATCH_STREAM_H_
#define TENURE_KUBE_WATCH_STREAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sidecar/coordinator/lease_watch.h"
#include "sidecar/kube/api_access.h"

namespace tenure {

// What cpprestsdk needs of the process before any thread starts: SSL_CERT_FILE
// and SSL_CERT_DIR away from the system bundle. Call first in main.
void PrepareProcessForWatch();

// `post` runs a task on the loop thread. `access` must outlive the watch.
// Endpoints that cpprestsdk cannot serve (IPv6 literals, proxies) end in one
// kDenied event that says so: the standby polls.
std::unique_ptr<LeaseWatch> NewWatchStream(
    std::function<bool(std::function<void()>)> post, AccessSource* access,
    const std::string& name_space, const std::string& lease,
    const std::string& user_agent, std::uint64_t jitter_seed);

}  // namespace tenure

#endif  // TENURE_KUBE_WATCH_STREAM_H_
