// AuthorityDigest: reads the whole state of a core into a StateHash.
//
// Two cores with equal digests answer every sequence of inputs alike, up to
// names, random bits and the shift of time and of revisions; a test compares
// what follows from states that were taken for one. Each field of the core's
// state is named in the source: one that is added breaks the build until it is
// here as well.
//
// Thread safety: pure functions.
#ifndef TENURE_TESTS_EXHAUSTIVE_AUTHORITY_DIGEST_H_
#define TENURE_TESTS_EXHAUSTIVE_AUTHORITY_DIGEST_H_

#include "sidecar/authority/lease_authority.h"
#include "sidecar/authority/lease_record.h"
#include "tests/exhaustive/state_hash.h"

namespace tenure {

class AuthorityDigest {
 public:
  static void Add(const LeaseAuthority& core, const Moment& now,
                  exhaustive::StateHash* hash);
  // After all else: which of the names in use the core takes for marks of its
  // own. Those that nothing refers to any more can not come back.
  static void AddOwnMarks(const LeaseAuthority& core,
                          exhaustive::StateHash* hash);
  static void AddRecord(const LeaseRecord& record, exhaustive::StateHash* hash);

  // The jitter is an input, as the entropy is: here it is the same every time,
  // so that a renewal can lead back to where it began.
  static void RewindJitter(LeaseAuthority* core);

 private:
  static void AddGate(const struct Gate& gate, const Moment& now,
                      exhaustive::StateHash* hash);
  static void AddWrite(const struct SentWrite& write, const Moment& now,
                       Duration relevant, exhaustive::StateHash* hash);
  static void AddSchedule(const class RenewalSchedule& schedule,
                          exhaustive::StateHash* hash);
  static void AddSeen(const class Observation& seen, const Moment& now,
                      exhaustive::StateHash* hash);
};

}  // namespace tenure

#endif  // TENURE_TESTS_EXHAUSTIVE_AUTHORITY_DIGEST_H_
