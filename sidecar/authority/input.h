// What the driver tells the core: answers of the API server, watch events, and
// what readers and operators asked for. Values only.
#ifndef TENURE_AUTHORITY_INPUT_H_
#define TENURE_AUTHORITY_INPUT_H_

#include <cstdint>
#include <string>
#include <variant>

#include "sidecar/authority/lease_record.h"
#include "sidecar/authority/run_id.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

// Time passed; nothing else did.
struct Tick {};

// An answer with a Lease in it. `created` is true for 201.
struct LeaseReply {
  bool created = false;
  LeaseRecord record;
};

// Why a request brought no Lease. Codes that can occur: kNotFound, kConflict,
// kUnauthenticated, kForbidden, kThrottled, kRefused (answered, not applied),
// kNotSent, kOutcomeUnknown.
struct StoreError {
  ErrorCode code = ErrorCode::kOutcomeUnknown;
  std::string message;      // one line for a person
  Duration retry_after{0};  // with kThrottled; 0 if the server named none
};

// Whether the code says that the server answered: a sign of life.
constexpr bool Answered(ErrorCode code) {
  return code != ErrorCode::kNotSent && code != ErrorCode::kOutcomeUnknown;
}

// The end of the request `id`. A 2xx answer to a write whose body could not be
// decoded is kOutcomeUnknown; to a read it is a record with `unreadable` set.
struct RequestDone {
  std::uint64_t id = 0;
  std::expected<LeaseReply, StoreError> result;
};

// What the watch saw. Only a hint: it may end authority and wake a contender,
// never grant authority (S3).
struct WatchEvent {
  enum class Kind {
    kOpened,    // connected; events follow
    kChanged,   // `record` is the object now
    kDeleted,   // the object went away; `record` is its last state
    kBookmark,  // nothing changed; the server is alive
    kExpired,   // 410: history is gone, read again
    kClosed,    // not watching now; it re-opens by itself
    kDenied,    // not watching and will not: `message` says why
  };
  Kind kind = Kind::kClosed;
  LeaseRecord record;
  std::string message;
};

// The answer to a read outside the renew path (`check?fresh=true`): may only
// end authority (S3). Its ControlReply says whether it told anything.
struct FreshRead {
  std::expected<LeaseReply, StoreError> result;
  Instant asked{};  // just before it was sent; set by the driver
};

// Whether this lease may be contended for now; decided by LeaseSet. Without
// permission a standby only observes.
struct SetContention {
  bool allowed = true;
};

// Requests from the control socket and the command line. Each gets a
// ControlReply in the output of the same step.
struct StartWork {  // POST /v1/work
  std::int64_t generation = 0;
  WorkRun run{};  // NOLINT(readability-redundant-member-init): may be left out
};
struct FinishWork {  // POST /v1/done
  std::int64_t generation = 0;
  WorkRun run{};  // NOLINT(readability-redundant-member-init): may be left out
};
// Whoever carries it out asked for the state: it lives.
struct KeepRun {
  WorkRun run;
};
struct GiveUp {  // POST /v1/release
  std::int64_t generation = 0;
};
struct RecordRun {  // POST /v1/run
  std::int64_t generation = 0;
  std::string run_id;
};
struct RaiseFloor {  // POST /v1/floor
  std::int64_t floor = 0;
};
// SIGTERM: no new work, release after the last `done`, then finished.
struct Drain {};

using Input = std::variant<Tick, RequestDone, WatchEvent, FreshRead,
                           SetContention, StartWork, FinishWork, KeepRun,
                           GiveUp, RecordRun, RaiseFloor, Drain>;

}  // namespace tenure

#endif  // TENURE_AUTHORITY_INPUT_H_
