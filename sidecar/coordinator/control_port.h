// ControlPort: how the local surface reaches the loop thread.
//
// Thread safety: Submit from any thread; `done` is called on the loop thread,
// exactly once, or at once on the caller's with kUnavailable when the bounded
// queue is full; not at all if the loop ends before.
#ifndef TENURE_COORDINATOR_CONTROL_PORT_H_
#define TENURE_COORDINATOR_CONTROL_PORT_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sidecar/authority/output.h"
#include "sidecar/authority/run_id.h"

namespace tenure {

struct ControlRequest {
  enum class Kind { kWork, kDone, kRelease, kRun, kFloor, kFreshRead, kKeep };
  Kind kind = Kind::kWork;
  std::size_t lease = 0;  // index on the board
  // The floor for kFloor; unused for kFreshRead and kKeep.
  std::int64_t generation = 0;
  // For kRun the id alone; for kWork, kDone and kKeep the run that the work
  // carries out, if it is one that is to happen once. Told so that it may be
  // left out.
  WorkRun run{};  // NOLINT(readability-redundant-member-init)
};

class ControlPort {
 public:
  using Done = std::function<void(ControlReply)>;

  virtual ~ControlPort() = default;

  // kFreshRead makes a round trip to the API server first: coalesced, at most
  // one a second for each lease; its error is kDeadlineExceeded, kUnavailable
  // where the answer told nothing, or what the server said. The caller then
  // answers from the board.
  virtual void Submit(const ControlRequest& request, Done done) = 0;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_CONTROL_PORT_H_
