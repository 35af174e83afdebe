// History: what happened in one run, in the order of true time, for the
// checkers. It only records; checkers.h judges.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_HISTORY_H_
#define TENURE_TESTS_SIM_HISTORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/authority/output.h"
#include "tests/sim/event_queue.h"
#include "tests/sim/fault_plan.h"
#include "tests/sim/node_clock.h"

namespace tenure::sim {

// What readers of one node can be told from here on; without a process:
// nothing.
struct Published {
  TrueTime at{0};
  int node = 0;
  int lease = 0;
  bool alive = false;
  int identity = 0;  // where it stands in History::identities
  CertaintyGrounds grounds;
  // As tuned then.
  Duration renew_interval{0};
  Duration try_limit{0};
  Duration round_trip_p99{0};
};

// A request left a node's store port.
struct Sent {
  TrueTime at{0};
  int node = 0;
  int lease = 0;
  int process = 0;  // counts the restarts of the node
  std::uint64_t id = 0;
  RequestKind kind = RequestKind::kRead;
  Moment moment;
  std::int64_t generation = 0;
  std::string mark;
  bool identified = false;       // carries uid and resource version
  bool told_held = false;        // what a reader would have been told just then
  bool other_in_flight = false;  // S13 broken
  bool work_running = false;     // work that was registered and is not done
};

// Beside the one request in flight: the driver had a watch opened, or a fresh
// read sent.
struct Beside {
  TrueTime at{0};
  int node = 0;
  int lease = 0;
  int process = 0;
};

// The API server applied a write: ours (process >= 0) or a foreign elector's.
struct Applied {
  TrueTime at{0};
  int node = 0;
  int lease = 0;
  int process = 0;
  RequestKind kind = RequestKind::kRead;
  std::int64_t generation = 0;
  std::string mark;
  std::string holder;
  bool created = false;
  bool document_kept = true;  // S11
};

// A write of guarded work reached its store.
struct StoreWrite {
  TrueTime at{0};
  int node = 0;
  int lease = 0;
  std::int64_t generation = 0;
  std::int64_t fence_before = 0;
  int term = 0;  // which acquisition of this lease, in order of applying
  int newest_raised_term = 0;  // at the fenced store, before this write
  bool accepted = false;       // by the fenced store
  bool raise = false;          // raises the fence, writes nothing
  bool corrupts = false;       // the unfenced store took it after a later one
};

// A command that ran under a lease, guarded as `tenure exec` guards it.
struct ChildRun {
  int node = 0;
  int lease = 0;
  std::int64_t generation = 0;
  std::string identity;
  TrueTime started{0};
  TrueTime ended = TrueTime::max();  // still running
};

// A floor that a process took from the application or from a person.
struct FloorTaken {
  int node = 0;
  int lease = 0;
  int process = 0;
  std::int64_t floor = 0;
  std::size_t sent_before = 0;  // how many of History::sent
};

// All of a pod stood still, its work and what guards it.
struct Standstill {
  int node = 0;
  TrueTime from{0};
  TrueTime to = TrueTime::max();
};

struct Transitioned {
  TrueTime at{0};
  int node = 0;
  int lease = 0;
  Transition::Kind kind = Transition::Kind::kUncertain;
  std::int64_t generation = 0;
  std::string reason;
};

// What people and other programs did, and what happened to machines.
struct Incident {
  enum class Kind {
    kRestored,         // from a backup; `number` 1: revisions jumped ahead
    kRevisionsNew,     // revisions that were used before it do not recur
    kForeignAcquired,  // a foreign elector believes to hold from here
    kClockUnreliable,  // this node's clock is out of what is assumed
    kClockReliable,
    kStarted,  // a process; `number` counts those of its node
    kQuiet,    // faults stop here
  };
  TrueTime at{0};
  Kind kind = Kind::kQuiet;
  int node = -1;
  int lease = -1;
  std::int64_t number = 0;
};

struct History {
  std::uint64_t seed = 0;
  Duration length{0};
  // The assumptions under which the run is judged.
  bool clocks_within_allowance = true;
  bool absent_is_taken = false;
  bool polls = false;  // no watch anywhere
  bool clones_share_entropy = false;
  int leases = 1;
  LeaseTimes times;

  std::vector<std::string> identities;
  std::vector<NodeClock> clocks;  // by node, the whole past
  std::vector<Published> published;
  std::vector<Sent> sent;
  std::vector<Beside> watch_starts;
  std::vector<Beside> fresh_reads;
  std::vector<Applied> applied;
  std::vector<StoreWrite> store_writes;
  std::vector<ChildRun> children;
  std::vector<Standstill> standstills;
  std::vector<FloorTaken> floors;
  std::vector<Transitioned> transitions;
  std::vector<Incident> incidents;
  FaultCounts faults{};
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_HISTORY_H_
