// LeaseWatch: the port to the observing side. Hints whose loss costs latency,
// never safety; a process without one polls.
//
// Thread safety: called on the loop thread only; the sink is called on it too.
#ifndef TENURE_COORDINATOR_LEASE_WATCH_H_
#define TENURE_COORDINATOR_LEASE_WATCH_H_

#include <functional>
#include <string>

#include "sidecar/authority/input.h"

namespace tenure {

class LeaseWatch {
 public:
  using Sink = std::function<void(WatchEvent)>;

  virtual ~LeaseWatch() = default;

  // Watches from `resource_version` on and re-opens by itself, with back-off
  // and jitter, until Stop. "" starts from a state not long ago, which comes as
  // the first event. After kExpired it stays closed until Start is called
  // again; after kDenied, too. A second Start replaces the first.
  virtual void Start(std::string resource_version, Sink sink) = 0;

  // No event reaches the sink after this returns.
  virtual void Stop() = 0;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_LEASE_WATCH_H_
