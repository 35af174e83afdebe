// FaultPlan: the faults that tests ask for over /faults, and which request each
// one strikes. docs/embedded.md has the document's fields.
//
// Thread safety: one thread.
// Invariants: at most kMaxFaults; the first fault that matches strikes, so a
// script of faults runs in the order it was posted.
#ifndef TENURE_EMBEDDED_FAULT_PLAN_H_
#define TENURE_EMBEDDED_FAULT_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_message.h"

namespace tenure::embedded {

constexpr std::size_t kMaxFaults = 64;
constexpr std::int64_t kMaxFaultDelayMs = 600'000;

enum class FaultAction {
  kDelay,        // answer late
  kFail,         // answer `status`
  kClose,        // end the connection without an answer
  kSilence,      // never answer, keep the connection open
  kStale,        // answer a read from an older version
  kFreezeWatch,  // hold back all events, also of watches already open
};

struct FaultTarget {
  std::string verb;  // as RBAC names it; empty in a fault: any
  std::string name_space;
  std::string name;
};

struct Fault {
  FaultTarget match;
  std::optional<std::uint64_t> remaining;  // empty: until removed
  std::uint64_t strikes = 0;
  FaultAction action = FaultAction::kFail;
  bool applied = false;  // whether a write takes effect first
  Duration delay{0};     // kDelay
  int status = 500;      // kFail
  std::optional<int> retry_after_seconds;
  bool reset = false;     // kClose: RST instead of FIN
  std::size_t steps = 1;  // kStale: how many versions back
};

class FaultPlan {
 public:
  // POST adds one, GET lists, DELETE removes all.
  ApiResponse Handle(const ApiRequest& request);

  bool empty() const { return faults_.empty(); }

  // The fault that strikes this request, counted down.
  std::optional<Fault> Take(const FaultTarget& target);

  bool Frozen(const FaultTarget& watch) const;

 private:
  std::vector<Fault> faults_;
};

// What kFail answers.
ApiResponse FaultResponse(const Fault& fault, const std::string& name);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_FAULT_PLAN_H_
