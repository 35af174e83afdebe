// Canary: named unsafe variants of the core, for proof that the simulation
// would notice them. In every build of the product CANARY(...) is `false`, and
// nothing of it is left; only tests/sim compiles it with TENURE_CANARIES.
//
// Thread safety: set before the threads that step cores start.
#ifndef TENURE_AUTHORITY_CANARY_H_
#define TENURE_AUTHORITY_CANARY_H_

#ifdef TENURE_CANARIES

namespace tenure {

enum class Canary {
  kNone,
  kCountsFromTheAnswer,       // S2: not from before sending
  kIgnoresDrift,              // S2: no allowance for the clocks' rates
  kSuspensionIsNotCounted,    // S2: a holder believes the shorter time
  kTrustsAnyMark,             // S3, S5: any record of ours acknowledges
  kReadsGrantAuthority,       // S3: a read extends the term
  kSendsNoUid,                // S4: a deleted Lease is recreated by PUT
  kLateAnswerRevivesATerm,    // S6: an answer after valid_until extends
  kReturnsWithItsGeneration,  // S7: not raised when the same process returns
  kEmptiedIsFree,         // S9: a holder emptied by hand is the release form
  kBelievesAShortenedD,   // S9: not the longest D seen under this holder
  kReleasesUnderWork,     // S10: work that runs does not hold it back
  kNoticesNoHiddenPause,  // a wall clock that ran ahead raises no doubt
};

inline Canary released_canary = Canary::kNone;

}  // namespace tenure

#define CANARY(name) (::tenure::released_canary == ::tenure::Canary::name)

#else

#define CANARY(name) false

#endif

#endif  // TENURE_AUTHORITY_CANARY_H_
