// Observation: what this process knows of the Lease, and since when.
//
// Facts only; lease_authority.cc decides what follows from them.
// Thread safety: one thread at a time.
#ifndef TENURE_AUTHORITY_OBSERVATION_H_
#define TENURE_AUTHORITY_OBSERVATION_H_

#include <cstdint>
#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/lease_record.h"
#include "sidecar/base/instant.h"

namespace tenure {

class Observation {
 public:
  explicit Observation(const AuthorityOptions& options);

  enum class Presence { kUnknown, kAbsent, kPresent };

  // Each returns whether it was a change (S9), which restarts the wait.
  bool See(const LeaseRecord& record, const Instant& received);
  bool SeeAbsent(const Instant& received);

  Presence presence() const { return presence_; }
  // REQUIRES nothing; an empty record while not kPresent.
  const LeaseRecord& record() const { return record_; }
  // Of the newest state seen; "" before the first.
  const std::string& resource_version() const { return newest_; }
  std::int64_t highest_generation() const { return highest_generation_; }
  // HolderGeneration of the record.
  std::int64_t holder_generation() const { return holder_generation_; }

  // Whether a watch event is older than, or the same as, what is known.
  bool IsOld(const LeaseRecord& event) const;

  // The D that is waited for, the longest that may be counted on (S9).
  std::int32_t SecondsGood() const;

  // How much longer the record must stand still before it may be taken; 0: now
  // (S9). Counted from receiving its last change, by the shortest elapsed time
  // (S2).
  Duration FreeIn(const Instant& now) const;

 private:
  friend class AuthorityDigest;  // tests/exhaustive

  const std::int32_t own_seconds_;
  const std::int32_t drift_ppm_;
  const AbsentLease absent_lease_;

  Presence presence_ = Presence::kUnknown;
  LeaseRecord record_;
  Instant since_;
  std::string newest_;
  std::string last_holder_;  // in a record that could be read
  std::int32_t longest_under_holder_ = 0;
  std::int32_t longest_under_name_ = 0;
  std::int64_t highest_generation_ = 0;
  std::int64_t holder_generation_ = 0;
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_OBSERVATION_H_
