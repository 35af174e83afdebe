#include "tests/sim/fault_plan.h"

#include <algorithm>

#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/check.h"

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// How often each kind is drawn, against the others; 0: only where the world is
// of that sort (see Allowed).
struct Share {
  Fault kind;
  int weight;
};
constexpr Share kShares[] = {
    {Fault::kFreeze, 6},
    {Fault::kDriverStall, 5},
    {Fault::kSuspend, 4},
    {Fault::kVmPause, 4},
    {Fault::kCrash, 5},
    {Fault::kClone, 12},
    {Fault::kDrain, 4},
    {Fault::kWallJump, 3},
    {Fault::kSlew, 10},
    {Fault::kDriftBeyond, 6},
    {Fault::kWorkHangs, 4},
    {Fault::kWorkUnchecked, 6},
    {Fault::kSlowLink, 4},
    {Fault::kPartition, 8},
    {Fault::kRefused, 3},
    {Fault::kRequestLost, 4},
    {Fault::kReplyLost, 6},
    {Fault::kReset, 4},
    {Fault::kHalfOpen, 4},
    {Fault::kLateWrite, 6},
    {Fault::kDuplicate, 3},
    {Fault::kThrottled, 2},
    {Fault::kServerError, 4},
    {Fault::kUnauthorized, 2},
    {Fault::kServerRestart, 4},
    {Fault::kSlowStorage, 4},
    {Fault::kLaggingReplica, 6},
    {Fault::kWatchBroken, 4},
    {Fault::kWatchStale, 4},
    {Fault::kWatchExpired, 3},
    {Fault::kDeleteLease, 4},
    {Fault::kRelabel, 3},
    {Fault::kEmptyHolder, 3},
    {Fault::kEditDuration, 3},
    {Fault::kGarbleGeneration, 2},
    {Fault::kGarbleRecord, 2},
    {Fault::kForeignHolder, 14},
    {Fault::kWebhook, 2},
    {Fault::kRestore, 6},
    {Fault::kFloor, 2},
    {Fault::kRelease, 4},
};
static_assert(std::size(kShares) == kPlannedKinds);

// Sorts of worlds: what cannot be judged together is not mixed.
struct Sort {
  bool drift_beyond = false;
  bool slews = false;      // boot runs wild, raw does not
  bool vm_pauses = false;  // else the wall clock jumps
  bool restores = false;
  bool foreign = false;
  bool clones = false;
};

bool Allowed(Fault kind, const Sort& sort) {
  switch (kind) {
    case Fault::kDriftBeyond:
      return sort.drift_beyond;
    case Fault::kSlew:
      return sort.slews;
    case Fault::kSuspend:
      return !sort.slews;  // raw stands still: then boot must be right
    case Fault::kVmPause:
      return sort.vm_pauses;
    case Fault::kWallJump:
      return !sort.vm_pauses;
    case Fault::kClone:
      return sort.clones;
    case Fault::kRestore:
      return sort.restores;
    case Fault::kForeignHolder:
      return sort.foreign;
    // A generation above its resource version, as after a restore, does not
    // survive the loss of the annotation; a foreign elector takes an emptied
    // or shortened lease from under its holder. The design claims neither.
    case Fault::kDeleteLease:
      return !sort.restores && !sort.foreign;
    case Fault::kGarbleGeneration:
      return !sort.restores;
    case Fault::kEmptyHolder:
    case Fault::kEditDuration:
    case Fault::kWebhook:
      return !sort.foreign;
    default:
      return true;
  }
}

Fault DrawKind(Chance& chance, const Sort& sort) {
  for (;;) {
    int total = 0;
    for (const Share& share : kShares) total += share.weight;
    std::int64_t at = chance.Between(0, total - 1);
    for (const Share& share : kShares) {
      at -= share.weight;
      if (at < 0) {
        if (Allowed(share.kind, sort)) return share.kind;
        break;
      }
    }
  }
}

LeaseTimes DrawTimes(Chance& chance, const Sort& sort) {
  const std::int64_t dice = chance.Between(0, 99);
  const char* preset = "default";
  if (dice < 6 && !sort.foreign) preset = "fast";
  if (dice >= 92) preset = "patient";
  LeaseTimes times = *TimesForPreset(preset);
  if (sort.foreign) {
    times = LeaseTimes{};
    times.foreign_contenders = true;
    times = *EffectiveTimes(times);
  }
  return times;
}

}  // namespace

const char* FaultName(Fault fault) {
  static constexpr const char* kNames[] = {"freeze",
                                           "driverStall",
                                           "suspend",
                                           "vmPause",
                                           "crash",
                                           "clone",
                                           "drain",
                                           "wallJump",
                                           "slew",
                                           "driftBeyond",
                                           "workHangs",
                                           "workUnchecked",
                                           "slowLink",
                                           "partition",
                                           "refused",
                                           "requestLost",
                                           "replyLost",
                                           "reset",
                                           "halfOpen",
                                           "lateWrite",
                                           "duplicate",
                                           "throttled",
                                           "serverError",
                                           "unauthorized",
                                           "serverRestart",
                                           "slowStorage",
                                           "laggingReplica",
                                           "watchBroken",
                                           "watchStale",
                                           "watchExpired",
                                           "deleteLease",
                                           "relabel",
                                           "emptyHolder",
                                           "editDuration",
                                           "garbleGeneration",
                                           "garbleRecord",
                                           "foreignHolder",
                                           "webhook",
                                           "restore",
                                           "floor",
                                           "release",
                                           "clockOffset",
                                           "driftWithin",
                                           "restart",
                                           "reordered",
                                           "conflict",
                                           "appliedError",
                                           "staleRead",
                                           "releaseAnswerLost",
                                           "ackAcrossSuspension",
                                           "deletedUnderHolder",
                                           "emptiedUnderHolder",
                                           "shortenedDuration",
                                           "fractionalDuration",
                                           "poisonedGeneration",
                                           "annotationDropped"};
  static_assert(std::size(kNames) == kFaultKinds);
  return kNames[static_cast<std::size_t>(fault)];
}

WorldPlan PlanWorld(std::uint64_t seed, Duration length) {
  Chance chance(seed ^ 0x7e9e7e9e7e9e7e9eULL);
  Sort sort;
  sort.drift_beyond = chance.Permille(120);
  sort.slews = chance.Permille(200);
  sort.vm_pauses = chance.Permille(350);
  sort.restores = chance.Permille(120);
  sort.foreign = !sort.restores && chance.Permille(140);
  sort.clones = chance.Permille(100);

  WorldPlan plan;
  plan.seed = seed;
  plan.length = length;
  plan.nodes = static_cast<int>(chance.Between(2, 4));
  plan.times = DrawTimes(chance, sort);
  plan.absent = chance.Permille(80) ? AbsentLease::kTake : AbsentLease::kWait;
  plan.watch = !chance.Permille(100);
  plan.within_allowance = !sort.drift_beyond;
  plan.floors_reported = chance.Permille(500);
  plan.registers_work = !chance.Permille(250);
  plan.restores_bump = chance.Permille(500);
  plan.clones_share_entropy = sort.clones && chance.Permille(500);
  if (chance.Permille(150)) {
    plan.leases = 2;
    plan.policy =
        chance.Permille(500) ? LeaseSetPolicy::kAll : LeaseSetPolicy::kAny;
  }

  const Duration lease = seconds(plan.times.lease_duration_seconds);
  plan.quiet_from =
      std::max(length / 4, length - (lease * 5 / 2 + seconds(45)));
  const Duration mean = milliseconds(chance.Between(3'000, 15'000));
  TrueTime at = chance.Between(Duration{0}, seconds(20));
  while (at < plan.quiet_from - seconds(1)) {
    PlannedFault fault;
    fault.at = at;
    fault.kind = DrawKind(chance, sort);
    fault.node = static_cast<int>(chance.Between(0, plan.nodes - 1));
    fault.lease = static_cast<int>(chance.Between(0, plan.leases - 1));
    fault.lasts = chance.Permille(500)
                      ? chance.LongTail(milliseconds(200), seconds(30))
                      : chance.Between(seconds(1), seconds(40));
    fault.lasts = std::min(fault.lasts, plan.quiet_from - at);
    plan.faults.push_back(fault);
    at += chance.Between(Duration{0}, mean * 2);
  }
  return plan;
}

}  // namespace tenure::sim
