// Recorder: makes each transition a log line and a counter, so that the two
// cannot disagree. Implemented by sidecar/telemetry and by the simulation.
//
// Thread safety: called on the loop thread only. Must not block (S13).
#ifndef TENURE_COORDINATOR_RECORDER_H_
#define TENURE_COORDINATOR_RECORDER_H_

#include <optional>
#include <string>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"
#include "sidecar/base/error.h"

namespace tenure {

class Recorder {
 public:
  virtual ~Recorder() = default;

  virtual void OnTransition(const std::string& lease,
                            const Transition& transition,
                            const AuthoritySnapshot& snapshot,
                            const Moment& now) = 0;

  // The end of one request; `error` empty: answered with a Lease.
  virtual void OnRequest(const std::string& lease, RequestKind kind,
                         const std::optional<StoreError>& error,
                         Duration round_trip) = 0;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_RECORDER_H_
