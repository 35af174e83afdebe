// LeaseSet: which of several leases of one process may be contended for.
//
// kAll: every lease, acquired in sorted order, so that two processes that want
// the same ones cannot each hold what the other waits for. A lease that was
// lost while later ones are held is only contended for again when those are
// given up. kAny (slots NAME-0..N-1): exactly one, whichever is free first.
//
// Thread safety: pure function over values.
#ifndef TENURE_AUTHORITY_LEASE_SET_H_
#define TENURE_AUTHORITY_LEASE_SET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenure {

enum class LeaseSetPolicy { kAll, kAny };

struct LeaseSetMember {
  bool held = false;      // in a term that has not ended
  bool engaged = false;   // held, or an acquisition is in flight or unknown
  bool takeable = false;  // could be acquired now
};

struct LeaseSetDecision {
  std::vector<bool> contend;  // for each member: may contend
  // Members to release as soon as no work runs under them: a second slot won
  // by an acquisition whose answer was late, or a later lease held while an
  // earlier one is missing.
  std::vector<bool> give_up;
};

// Members in sorted name order. `start` rotates which slot kAny looks at first
// so that processes spread over the slots; ignored by kAll.
LeaseSetDecision Decide(LeaseSetPolicy policy,
                        const std::vector<LeaseSetMember>& members,
                        std::size_t start);

}  // namespace tenure

#endif  // TENURE_AUTHORITY_LEASE_SET_H_
