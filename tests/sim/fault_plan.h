// FaultPlan: what goes wrong in one world, and when; all of it from the seed.
//
// Thread safety: values.
#ifndef TENURE_TESTS_SIM_FAULT_PLAN_H_
#define TENURE_TESTS_SIM_FAULT_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/lease_set.h"
#include "sidecar/base/instant.h"
#include "tests/sim/chance.h"
#include "tests/sim/event_queue.h"

namespace tenure::sim {

enum class Fault : std::uint8_t {
  // Machines and processes.
  kFreeze,         // process and its work stop; clocks run
  kDriverStall,    // only the driver stops; readers go on asking
  kSuspend,        // the machine sleeps: raw stops too
  kVmPause,        // the machine is paused: all its clocks stop
  kCrash,          // the process dies and starts again in the same pod
  kClone,          // a copy of another pod's process starts here
  kDrain,          // SIGTERM, then a new process
  kWallJump,       // the wall clock is stepped
  kSlew,           // boot is slewed, raw is not
  kDriftBeyond,    // rates beyond the allowance
  kWorkHangs,      // work does not end when it is told to
  kWorkUnchecked,  // work writes late, long after it asked
  // The network between one node and the API server.
  kSlowLink,
  kPartition,  // nothing arrives, nothing is refused
  kRefused,    // connection refused: certainly not sent
  kRequestLost,
  kReplyLost,
  kReset,
  kHalfOpen,   // requests arrive, nothing comes back, nothing is closed
  kLateWrite,  // given up, and applied later all the same
  kDuplicate,  // applied twice
  // The API server.
  kThrottled,
  kServerError,  // 5xx, before or after applying
  kUnauthorized,
  kServerRestart,
  kSlowStorage,     // writes wait before they are applied
  kLaggingReplica,  // one replica answers reads and watches from the past
  kWatchBroken,
  kWatchStale,    // events come late
  kWatchExpired,  // 410
  // People and other programs.
  kDeleteLease,
  kRelabel,
  kEmptyHolder,
  kEditDuration,
  kGarbleGeneration,
  kGarbleRecord,
  kForeignHolder,  // a client-go-like elector contends
  kWebhook,        // changes D in what is stored
  kRestore,
  kFloor,
  kRelease,  // an operator's
  // Not planned by themselves: they come of the others, and are counted.
  kClockOffset,
  kDriftWithin,
  kRestart,  // a process that is not its pod's first
  kReordered,
  kConflict,      // 409
  kAppliedError,  // 5xx after applying
  kStaleRead,
  kReleaseAnswerLost,
  kAckAcrossSuspension,  // of a write sent before it
  kDeletedUnderHolder,
  kEmptiedUnderHolder,
  kShortenedDuration,
  kFractionalDuration,
  kPoisonedGeneration,  // the highest one that can be written
  kAnnotationDropped,   // by a foreign elector
};
inline constexpr std::size_t kPlannedKinds =
    static_cast<std::size_t>(Fault::kRelease) + 1;
inline constexpr std::size_t kFaultKinds =
    static_cast<std::size_t>(Fault::kAnnotationDropped) + 1;
using FaultCounts = std::array<std::int64_t, kFaultKinds>;

const char* FaultName(Fault fault);

struct PlannedFault {
  TrueTime at{0};
  Fault kind = Fault::kFreeze;
  int node = 0;
  int lease = 0;
  Duration lasts{0};
};

struct WorldPlan {
  std::uint64_t seed = 0;
  int nodes = 3;
  int leases = 1;
  LeaseSetPolicy policy = LeaseSetPolicy::kAll;
  LeaseTimes times;
  AbsentLease absent = AbsentLease::kWait;
  bool watch = true;
  bool within_allowance = true;
  bool floors_reported = false;
  bool registers_work = true;
  bool restores_bump = true;  // revisions jump ahead at a restore
  // A clone draws the same bits as what it was cloned from.
  bool clones_share_entropy = false;
  Duration length{0};
  Duration quiet_from{0};  // no fault begins or lasts past this
  std::vector<PlannedFault> faults;
};

// The whole plan of the world that `seed` names.
WorldPlan PlanWorld(std::uint64_t seed, Duration length);

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_FAULT_PLAN_H_
