// Driver: carries inputs to the cores and their outputs to the ports.
//
// The same code runs in production (on Loop) and in the simulation; it has no
// clock and no thread of its own. One Driver serves all leases of a process.
//
// Thread safety: the loop thread only.
// Invariants: one request in flight per lease (S13); every published snapshot
// is the state after a whole step.
#ifndef TENURE_COORDINATOR_DRIVER_H_
#define TENURE_COORDINATOR_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sidecar/authority/lease_authority.h"
#include "sidecar/authority/lease_set.h"
#include "sidecar/coordinator/control_port.h"
#include "sidecar/coordinator/lease_store.h"
#include "sidecar/coordinator/lease_watch.h"
#include "sidecar/coordinator/recorder.h"
#include "sidecar/coordinator/snapshot_board.h"

namespace tenure {

// What the driver needs for one lease. `watch` may be null: it polls.
struct DriverLease {
  std::string name;
  AuthorityOptions options;
  LeaseStore* store = nullptr;  // not owned
  LeaseWatch* watch = nullptr;  // not owned
};

class Driver {
 public:
  // `wake` is called, from inside a port's callback, when Pump is due before
  // the time it last named. `now` and `entropy` are asked when a step begins.
  struct Environment {
    std::function<Moment()> now;
    std::function<Entropy()> entropy;
    std::function<void()> wake;
  };

  // Leases in the board's order, which is sorted. `slot_start` as in LeaseSet.
  Driver(std::vector<DriverLease> leases, LeaseSetPolicy policy,
         std::size_t slot_start, SnapshotBoard* board, Recorder* recorder,
         Environment environment);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Takes every waiting input and every deadline that has passed, starts what
  // the cores ask for, publishes. Returns how long until it is due again.
  Duration Pump();

  // From the control socket; kFreshRead is coalesced here.
  void Control(const ControlRequest& request, ControlPort::Done done);

  // SIGTERM.
  void StartDraining();
  // Every lease is drained.
  bool Finished() const;

 private:
  struct Lane;

  void TakeInputs(std::size_t lane);
  void Step(std::size_t lane, const Input& input,
            const ControlPort::Done& done = nullptr);
  void StartRequest(std::size_t lane, const Request& request);
  void Arrange();
  void SteerWatch(std::size_t lane);
  void SteerFreshRead(std::size_t lane);
  void EndFreshRead(std::size_t lane, FreshRead read);
  Duration DueIn() const;

  std::vector<std::unique_ptr<Lane>> lanes_;
  const LeaseSetPolicy policy_;
  const std::size_t slot_start_;
  SnapshotBoard* const board_;
  Recorder* const recorder_;
  const Environment environment_;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_DRIVER_H_
