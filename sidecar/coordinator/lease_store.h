// LeaseStore: the port to the API server that authority rests on.
//
// Implemented by the Beast transport (sidecar/kube) and by the simulation.
// Thread safety: called on the loop thread only; callbacks come on it too, and
// never from inside Start or ReadFresh.
#ifndef TENURE_COORDINATOR_LEASE_STORE_H_
#define TENURE_COORDINATOR_LEASE_STORE_H_

#include <functional>

#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"

namespace tenure {

class LeaseStore {
 public:
  using Done = std::function<void(RequestDone)>;
  using FreshDone = std::function<void(FreshRead)>;

  virtual ~LeaseStore() = default;

  // Sends one request and calls `done` exactly once, at the latest
  // `request.limit` after this call. Never retried, never replayed (S5). A
  // request that was given up is not sent later: its socket is reset.
  // REQUIRES: no other request of this store is in flight (S13).
  virtual void Start(const Request& request, Done done) = 0;

  // A read on a connection of its own, beside the one above.
  virtual void ReadFresh(Duration limit, FreshDone done) = 0;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_LEASE_STORE_H_
