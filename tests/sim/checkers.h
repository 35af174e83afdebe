// Checkers: the safety and liveness claims as functions over a History. Each
// is named for the claim and cites its rule; docs/safety.md lists them.
//
// Thread safety: pure functions.
#ifndef TENURE_TESTS_SIM_CHECKERS_H_
#define TENURE_TESTS_SIM_CHECKERS_H_

#include <optional>
#include <string>
#include <vector>

#include "tests/sim/history.h"

namespace tenure::sim {

// Empty: the claim holds.
using Verdict = std::optional<std::string>;

struct Checker {
  const char* name;
  Verdict (*check)(const History& history);
};

// S1: at no true instant are two nodes told "held" of one lease, while clocks
// keep to the allowance. (checkers_time.cc)
Verdict NoTwoHeldAtOnce(const History& history);
// S2: nobody is told "held" while another's claim (valid_until) still runs.
Verdict NoClaimOutlivesATakeOver(const History& history);
// S9: no node is told "held" when a foreign elector acquires.
Verdict NoneHeldWhenAForeignElectorAcquires(const History& history);
// L2: after faults stop, each lease is held within its bound, and by one node.
Verdict SomeoneHoldsAfterFaultsStop(const History& history);

// S3: each deadline served comes from a write of our own that was applied, and
// counts from no later than when that write was sent. (checkers_writes.cc)
Verdict AuthorityComesFromAnAppliedWrite(const History& history);
// S4: uid and resource version with every write but the create, which names
// no holder; nothing but a create ever creates.
Verdict WritesAreIdentified(const History& history);
// S5: no two writes carry the same mark.
Verdict MarksAreFresh(const History& history);
// S6: a claim that ran out or was given up never comes back.
Verdict EndedTermsStayEnded(const History& history);
// S6: a node does not take its own lease again at once while its work runs.
Verdict OwnReturnWaitsForTheWork(const History& history);
// S6, S7: generations rise along the applied acquisitions of a lease.
Verdict GenerationsRise(const History& history);
// S7: what a process acquires is above each floor it was told, also after a
// restore: there nothing else knows what the store has seen.
Verdict AcquiresAboveTheFloor(const History& history);
// S10: a release is sent only when nobody is told "held" and no registered
// work runs, and no other write of its generation follows it.
Verdict ReleaseEndsItsTerm(const History& history);
// S11: what others put into the object stays.
Verdict OthersFieldsAreKept(const History& history);
// S13: one request in flight for each lease.
Verdict OneRequestInFlight(const History& history);
// S13: no storms: requests for each lease in any minute, and in one in which
// nothing fails.
Verdict RequestsAreBounded(const History& history);
// S13: nor beside them: a process sends a fresh read, or has a watch opened
// again, at the earliest a second after the last one by its own clocks; a watch
// also after a write of its own, for which it may have been given up.
Verdict FreshReadsAndWatchesAreSpaced(const History& history);

// S10: a command under a guard is dead before the claim it runs under ends, by
// the clocks of its own machine, unless the machine stood still just then.
// (checkers_work.cc)
Verdict ChildrenDieBeforeTheClaimEnds(const History& history);

// The fence: no write of a term is accepted after a later term was raised at
// the store, whatever clocks do.
Verdict NoStaleWriteIsAccepted(const History& history);

const std::vector<Checker>& AllCheckers();

// Whether the unfenced twin took a write of an earlier term after a later
// one's: proof that the faults bite, not a failure.
bool UnfencedStoreWasCorrupted(const History& history);

// The most requests any node sent for one lease within one minute after `from`.
int BusiestMinute(const History& history, TrueTime from);

// "name: what happened (at 12.345 s)" for each claim that does not hold.
std::vector<std::string> Violations(const History& history);

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_CHECKERS_H_
