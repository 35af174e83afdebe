// LeaseAuthority: decides who holds one lease, as far as this process can know.
//
// Pure: time and entropy are arguments; no I/O, no threads, no logging. Feed it
// inputs with Step(), send the one request it may return, call Step(Tick) at
// NextDeadline(), and publish Snapshot(). Its rules are the safety rules S1-S13
// of the design; lease_authority.cc cites them where they branch.
//
// Thread safety: one thread at a time.
//
// Invariants:
//   - at most one request in flight (S13);
//   - authority only grows by an acknowledged write of our own (S3), counted
//     from before it was sent (S2);
//   - a term that ended never comes back (S6);
//   - the generation of each term is above that of every term before (S7).
#ifndef TENURE_AUTHORITY_LEASE_AUTHORITY_H_
#define TENURE_AUTHORITY_LEASE_AUTHORITY_H_

#include <cstdint>
#include <memory>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"

namespace tenure {

class LeaseAuthority {
 public:
  // REQUIRES: options.times came from EffectiveTimes; identity is not empty.
  explicit LeaseAuthority(const AuthorityOptions& options);
  ~LeaseAuthority();
  // A copy decides as the original would have: for trying more than one future.
  // Only one of them may go on to send, or two processes share a name.
  LeaseAuthority(const LeaseAuthority& other);
  LeaseAuthority& operator=(const LeaseAuthority&) = delete;

  // Takes one input at `now`. `entropy` must be fresh for every call: the bits
  // of a write that leaves in this step (S5). `now` never goes back on either
  // clock of its instant; a wall clock may do anything.
  Output Step(const Moment& now, const Entropy& entropy, const Input& input);

  // How long from `now` until Step(Tick) is due: when a request, a transition
  // or a changed snapshot would come of it. Never negative; Duration::max() if
  // only an input can change anything.
  Duration NextDeadline(const Moment& now) const;

  // What readers see; cheap to take after every step.
  AuthoritySnapshot Snapshot() const;

  // Whether the watch is worth its connection now: not while in a term.
  bool WantsWatch() const;
  // Where a watch should start: the newest resource version seen, or "".
  const std::string& WatchFrom() const;

  // For LeaseSet: whether this lease could be acquired at `now` if contention
  // were allowed; whether something of ours is held or may be.
  bool Takeable(const Moment& now) const;
  bool Engaged() const;

 private:
  friend class AuthorityDigest;  // tests/exhaustive
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_LEASE_AUTHORITY_H_
