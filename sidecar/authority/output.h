// What the core asks of the driver after a step: at most one request, what
// changed, and the reply to a control input. Values only.
#ifndef TENURE_AUTHORITY_OUTPUT_H_
#define TENURE_AUTHORITY_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/authority/run_id.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

enum class RequestKind { kRead, kCreate, kAcquire, kRenew, kRelease };

// "read", "create", "acquire", "renew", "release".
const char* RequestKindName(RequestKind kind);

// Our own fields of the Lease for one write; the codec merges them into
// `document` (S11) and sends uid and resourceVersion with it (S4).
struct LeaseWrite {
  std::string uid;               // empty: create if absent
  std::string resource_version;  // empty: create if absent
  std::string document;          // what to merge into; empty: a new object
  std::string holder;            // empty: nobody (create, release)
  std::int32_t duration_seconds = 0;
  std::optional<WallTime> acquire_time;
  std::optional<WallTime> renew_time;
  std::optional<std::int32_t> transitions;
  std::optional<std::int64_t> generation;
  std::string write;                // WriteMark
  std::optional<LastRun> last_run;  // empty: stays as it is
};

struct Request {
  std::uint64_t id = 0;
  RequestKind kind = RequestKind::kRead;
  // Give up this long after starting, whatever happened: the per-try limit.
  Duration limit{0};
  LeaseWrite write;  // empty for kRead
};

// Each is one log line and one counter, made by one recorder, so that logs
// cannot disagree with state.
struct Transition {
  enum class Kind {
    kAcquired,        // a term began
    kUncertain,       // held -> uncertain, or standby -> uncertain
    kCertain,         // uncertain -> held or standby
    kLost,            // a term ended, not by our own release
    kReleasing,       // a term ended just before its release is sent (S10)
    kReleased,        // the release was acknowledged
    kHolderObserved,  // another holder (or none) is named in the record
    kRefused,         // cannot acquire; `reason` and `message` say the way out
    kDraining,
    kFinished,     // drained: nothing is held, nothing is in flight
    kWatchDenied,  // polling from now on; said once
  };
  Kind kind = Kind::kUncertain;
  // Machine word for metrics: "expired", "conflict", "deleted", "clock",
  // "floor", "silence", "malformedGeneration", ...; empty where none applies.
  std::string reason;
  std::string message;          // one line for a person; may be empty
  std::string holder;           // with kHolderObserved
  std::int64_t generation = 0;  // 0 where none applies
};

const char* TransitionKindName(Transition::Kind kind);

struct ControlReply {
  // kConflict: generation mismatch, not held, or work still running;
  // kInvalidArgument: a floor out of range; kUnavailable: draining, or a fresh
  // read that told nothing; kDeadlineExceeded: one that was not answered; else
  // what the server said to it.
  std::optional<Error> error;
  std::int64_t generation = 0;  // current one while in a term, else 0
};

struct Output {
  std::optional<Request> request;
  std::vector<Transition> transitions;
  std::optional<ControlReply>
      reply;  // for control inputs and FreshRead, always set
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_OUTPUT_H_
