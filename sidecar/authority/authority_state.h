// LeaseAuthority::State: everything the core remembers. Private to
// sidecar/authority; lease_authority.cc and authority_observe.cc branch,
// authority_requests.cc builds requests and says when they are due.
//
// Thread safety: one thread at a time.
#ifndef TENURE_AUTHORITY_AUTHORITY_STATE_H_
#define TENURE_AUTHORITY_AUTHORITY_STATE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/lease_authority.h"
#include "sidecar/authority/observation.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/authority/term.h"
#include "sidecar/authority/work_registry.h"

namespace tenure {

class LeaseAuthority::State {
 public:
  explicit State(const AuthorityOptions& options);

  Output Step(const Moment& now, const Entropy& entropy, const Input& input);
  Duration NextDeadline(const Moment& now) const;
  AuthoritySnapshot Snapshot() const;
  CertaintyGrounds Grounds() const;
  bool WantsWatch() const;
  const std::string& WatchFrom() const { return seen_.resource_version(); }
  bool Takeable(const Moment& now) const;
  bool Engaged() const;

 private:
  friend class AuthorityDigest;  // tests/exhaustive

  struct Plan {
    RequestKind kind = RequestKind::kRead;
    Duration in = Duration::max();  // max: nothing to send
  };

  // Inputs.
  void On(const Tick& input);
  void On(const RequestDone& input);
  void On(const WatchEvent& input);
  void On(const FreshRead& input);
  void On(const SetContention& input);
  void On(const StartWork& input);
  void On(const FinishWork& input);
  void On(const KeepRun& input);
  void On(const GiveUp& input);
  void On(const RecordRun& input);
  void On(const RaiseFloor& input);
  void On(const Drain& input);

  // The end of a request, by its kind and result.
  void ReadAnswered(const LeaseRecord& record);
  void WriteAnswered(const SentWrite& write, const LeaseReply& reply);
  void Altered(const SentWrite& write);
  void Failed(const Pending& request, const StoreError& error);
  void FailedWrite(const SentWrite& write, const StoreError& error);

  // Changes of state.
  void PassTime();
  void Observe(const LeaseRecord& record);
  void ObserveAbsent();
  void EndIfContradicted(const LeaseRecord& record);
  bool MayBeOvertaken(const FreshRead& input);
  bool Settle(const LeaseRecord& record);
  void BeginTerm(const SentWrite& write);
  void Extend(const SentWrite& write);
  void EndTerm(const char* reason);
  void EndRelease(bool acknowledged);
  void AfterRelease(const LeaseRecord& record);
  void HoldBack(const Pending& request, Duration retry_after);
  void Refuse(const char* reason, const std::string& message);
  void Name(const char* reason, const std::string& message);
  void NameLongWait();
  void Remember(const SentWrite& write);
  void Announce();

  // Requests (authority_requests.cc).
  Plan Next(const Instant& now) const;
  void Send(RequestKind kind, const Entropy& entropy);
  bool FillAcquire(LeaseWrite* write, SentWrite* sent);
  void FillHolderWrite(RequestKind kind, LeaseWrite* write, SentWrite* sent);
  Duration AcquirableIn(const Instant& now) const;
  Duration PollIn(const Instant& now) const;
  bool AcknowledgedBy(const LeaseRecord& record, const SentWrite& write) const;
  bool IsOwnMark(const std::string& mark) const;
  bool MustRead() const;
  bool Silent(const Instant& now) const;

  void Emit(Transition::Kind kind, const char* reason = "",
            std::string message = "");
  void Reply(std::optional<Error> error);

  const AuthorityOptions options_;
  const Duration valid_for_;
  RenewalSchedule schedule_;
  Observation seen_;
  WorkRegistry work_;

  std::optional<Term> term_;
  std::optional<Release> release_;
  std::optional<Pending> pending_;
  // Writes whose outcome is unknown or contested, newest last; bounded.
  std::deque<SentWrite> unsettled_;
  // Marks of our own writes that may have been applied, newest last: what is
  // ours but not here was written by a copy of this process. Bounded.
  std::deque<std::string> own_marks_;

  std::uint64_t last_id_ = 0;
  std::uint64_t last_term_ = 0;
  std::int64_t highest_generation_ = 0;  // of our own terms
  std::int64_t floor_ = 0;
  std::int64_t renewals_ = 0;
  WallTime last_renewal_;
  Instant server_seen_;       // the last sign of life
  std::string server_error_;  // of the last request, if it got no answer
  Instant record_heard_;      // when an answer or event last told the state
  Gate read_gate_;
  Gate write_gate_;
  Gate create_gate_;
  Gate stand_back_;  // from acquiring
  Gate watch_gate_;  // after a denial
  std::optional<std::string> watch_denial_said_;
  Refusal refusal_;
  std::string refusal_said_;  // the last one announced
  Certainty announced_ = Certainty::kUncertain;

  bool read_due_ = true;  // an outcome or a state must be looked up
  bool acquire_unknown_ = false;
  bool watching_ = false;
  bool watch_denied_ = false;
  bool contend_ = true;
  bool release_wanted_ = false;
  bool draining_ = false;
  bool finished_ = false;

  Moment now_;  // of the step under way
  Output out_;
  Gate due_{Instant{}, Duration::max()};  // as the last step said
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_AUTHORITY_STATE_H_
