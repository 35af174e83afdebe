#include "sidecar/authority/lease_authority.h"

#include <algorithm>
#include <utility>

#include "sidecar/authority/authority_state.h"
#include "sidecar/authority/canary.h"
#include "sidecar/authority/generation.h"
#include "sidecar/base/check.h"

namespace tenure {

LeaseAuthority::LeaseAuthority(const AuthorityOptions& options)
    : state_(std::make_unique<State>(options)) {}
LeaseAuthority::LeaseAuthority(const LeaseAuthority& other)
    : state_(std::make_unique<State>(*other.state_)) {}
LeaseAuthority::~LeaseAuthority() = default;

Output LeaseAuthority::Step(const Moment& now, const Entropy& entropy,
                            const Input& input) {
  return state_->Step(now, entropy, input);
}
Duration LeaseAuthority::NextDeadline(const Moment& now) const {
  return state_->NextDeadline(now);
}
AuthoritySnapshot LeaseAuthority::Snapshot() const {
  return state_->Snapshot();
}
bool LeaseAuthority::WantsWatch() const { return state_->WantsWatch(); }
const std::string& LeaseAuthority::WatchFrom() const {
  return state_->WatchFrom();
}
bool LeaseAuthority::Takeable(const Moment& now) const {
  return state_->Takeable(now);
}
bool LeaseAuthority::Engaged() const { return state_->Engaged(); }

LeaseAuthority::State::State(const AuthorityOptions& options)
    : options_(options),
      valid_for_(ValidFor(options.times)),
      schedule_(options.times, options.jitter_seed),
      seen_(options),
      // Whoever carries out a run had its deadline from us when it was last
      // heard of, and kills by it: no claim lasts longer from there on.
      work_(TakeOverWait(options.times.lease_duration_seconds,
                         options.times.drift_ppm)) {
  CHECK(!options.identity.empty());  // S8
}

Output LeaseAuthority::State::Step(const Moment& now, const Entropy& entropy,
                                   const Input& input) {
  now_ = now;
  out_ = Output{};
  PassTime();
  std::visit([this](const auto& one) { On(one); }, input);
  const Plan plan = Next(now_.instant);
  if (plan.in <= Duration{0}) Send(plan.kind, entropy);
  Announce();
  due_ = Gate{now_.instant, NextDeadline(now_)};
  return std::move(out_);
}

void LeaseAuthority::State::PassTime() {
  if (term_) {
    const Duration elapsed = LongestElapsed(term_->sent.instant, now_.instant);
    const Duration over = CANARY(kLateAnswerRevivesATerm) && pending_
                              ? Duration::max()
                              : valid_for_;
    if (elapsed >= over) {
      EndTerm("expired");  // S6
      read_due_ = true;    // every other end was told by the newest record
    } else if (PauseWasHidden(term_->sent, now_)) {
      term_->clock_doubt = true;
    }
  }
  work_.ForgetRuns(now_.instant);
  // The Role may have been mended.
  if (watch_denied_ && watch_gate_.Remaining(now_.instant) == Duration{0}) {
    watch_denied_ = false;
  }
  // Past this the lease has run out for every contender without the release.
  if (release_ && LongestElapsed(release_->sent_before, now_.instant) >=
                      TakeOverWait(options_.times.lease_duration_seconds,
                                   options_.times.drift_ppm)) {
    EndRelease(false);
  }
}

void LeaseAuthority::State::On(const Tick&) {
  const Duration late = LongestElapsed(due_.from, now_.instant) - due_.wait;
  if (due_.wait != Duration::max() && late >= Duration{0}) {
    schedule_.AddPause(late);
  }
}

void LeaseAuthority::State::On(const RequestDone& input) {
  if (!pending_ || pending_->id != input.id) return;  // S6: late, dropped
  const Pending request = *std::exchange(pending_, std::nullopt);
  const Duration took =
      LongestElapsed(request.write.sent.instant, now_.instant);
  if (input.result || Answered(input.result.error().code)) {
    server_seen_ = record_heard_ = now_.instant;
    schedule_.AddRoundTrip(took);
    server_error_.clear();
    if (input.result && refusal_.by_answer) refusal_ = Refusal{};
  } else {
    server_error_ = input.result.error().message;
    if (took >= request.limit) schedule_.AddTimeout(took);
  }
  if (!input.result) {
    Failed(request, input.result.error());
    return;
  }
  switch (request.write.kind) {
    case RequestKind::kRead:
      ReadAnswered(input.result->record);
      break;
    case RequestKind::kCreate:
      Observe(input.result->record);
      break;
    case RequestKind::kAcquire:
    case RequestKind::kRenew:
    case RequestKind::kRelease:
      WriteAnswered(request.write, *input.result);
      break;
  }
}

void LeaseAuthority::State::ReadAnswered(const LeaseRecord& record) {
  read_due_ = false;
  read_gate_ = Gate{};
  Observe(record);
  if (!record.unreadable.empty()) {
    // S5: it shows no write, so it settles none.
    if (!acquire_unknown_) return;
    read_due_ = true;
    read_gate_ = Gate{now_.instant, schedule_.Interval()};
    Refuse("unreadable", UnreadableMessage(record));
    return;
  }
  acquire_unknown_ = false;
  if (Settle(record)) return;
  EndIfContradicted(record);
  if (release_) AfterRelease(record);
}

void LeaseAuthority::State::WriteAnswered(const SentWrite& write,
                                          const LeaseReply& reply) {
  const LeaseRecord& record = reply.record;
  Observe(record);
  if (write.kind == RequestKind::kRelease) {
    if (release_) AfterRelease(record);
    if (release_) Altered(write);
    return;
  }
  // S13: nothing else was sent meanwhile, so no other term can have begun.
  CHECK(!term_ || term_->serial == write.term);
  // S4: it carried uid and resource version, so nothing can have been created.
  if (reply.created) {
    if (term_) EndTerm("recreated");
    stand_back_ = Gate{now_.instant, valid_for_};
    return;
  }
  if (AcknowledgedBy(record, write)) {
    unsettled_.clear();
    if (write.kind == RequestKind::kAcquire) {
      BeginTerm(write);
    } else if (term_) {
      Extend(write);
    }
    return;
  }
  if (!term_) stand_back_ = Gate{now_.instant, valid_for_};
  EndIfContradicted(record);
  Altered(write);
}

// S3: it landed changed. Nothing is claimed from it, and it is not fought.
void LeaseAuthority::State::Altered(const SentWrite& write) {
  write_gate_ = Gate{write.sent.instant,
                     release_ ? schedule_.Spacing() : schedule_.Interval()};
  Refuse("altered",
         "The API server stored our write changed (an admission webhook or "
         "policy?): expected our holder, duration, generation and " +
             std::string(kWriteAnnotation) +
             " as sent; exempt this Lease from what changes it");
}

void LeaseAuthority::State::Failed(const Pending& request,
                                   const StoreError& error) {
  const RequestKind kind = request.write.kind;
  // Never applied, so no record will bear its mark.
  if (kind != RequestKind::kRead && error.code != ErrorCode::kOutcomeUnknown &&
      error.code != ErrorCode::kConflict) {
    std::erase(own_marks_, request.write.mark);
  }
  // A create without resource version is refused where the Lease exists.
  const bool exists =
      kind == RequestKind::kCreate &&
      (error.code == ErrorCode::kRefused || error.code == ErrorCode::kConflict);
  const bool no_namespace =
      kind == RequestKind::kCreate && error.code == ErrorCode::kNotFound;
  if (error.code == ErrorCode::kForbidden || no_namespace ||
      error.code == ErrorCode::kUnauthenticated ||
      (error.code == ErrorCode::kRefused && !exists)) {
    Refuse(ErrorCodeName(error.code), error.message);
    refusal_.by_answer = true;
  }
  HoldBack(request, error.retry_after);
  if (kind == RequestKind::kRead) {
    if (error.code == ErrorCode::kNotFound) ObserveAbsent();
    return;
  }
  if (kind == RequestKind::kCreate) {
    // Somebody was faster, or the outcome is unknown: look.
    read_due_ = true;
    if (exists) read_gate_ = Gate{};
    return;
  }
  FailedWrite(request.write, error);
}

void LeaseAuthority::State::FailedWrite(const SentWrite& write,
                                        const StoreError& error) {
  if (error.code == ErrorCode::kNotFound) {
    ObserveAbsent();
    return;
  }
  if (error.code != ErrorCode::kOutcomeUnknown &&
      error.code != ErrorCode::kConflict) {
    return;  // definite: not applied
  }
  // S5: even a 409 is settled by the nonce; something on the way may have
  // replayed a write that landed the first time. Unless it is settled already:
  // the winner's event overtook our answer.
  if (error.code == ErrorCode::kConflict &&
      write.kind == RequestKind::kAcquire &&
      write.based_on != seen_.resource_version() &&
      !IsOwnMark(seen_.record().write)) {
    return;
  }
  const bool first = unsettled_.empty();
  unsettled_.push_back(write);
  if (unsettled_.size() > kMaxUnsettled) unsettled_.pop_front();
  read_due_ = true;
  if (error.code == ErrorCode::kOutcomeUnknown) {
    if (write.kind == RequestKind::kAcquire) acquire_unknown_ = true;
    return;
  }
  if (write.kind == RequestKind::kAcquire && first && watching_) {
    // The winner's event is on its way; a read by each loser would be a herd.
    read_gate_ = Gate{now_.instant, schedule_.Interval()};
  } else {
    read_gate_ = Gate{};
  }
}

// S3 and S5: what a read settles. True if it showed a write of ours that gives
// authority.
bool LeaseAuthority::State::Settle(const LeaseRecord& record) {
  std::optional<SentWrite> landed;
  for (const SentWrite& write : unsettled_) {
    if (AcknowledgedBy(record, write)) landed = write;
  }
  // The others can only land on the version they were based on.
  std::erase_if(unsettled_, [&record](const SentWrite& write) {
    return write.based_on != record.resource_version;
  });
  if (!landed) return false;
  if (landed->kind == RequestKind::kAcquire) {
    if (term_) return false;
    BeginTerm(*landed);
    return term_.has_value();
  }
  if (!term_ || term_->serial != landed->term) return false;
  Extend(*landed);
  return true;
}

void LeaseAuthority::State::BeginTerm(const SentWrite& write) {
  CHECK(!term_);
  highest_generation_ = std::max(highest_generation_, write.generation);
  // S2: an answer that took longer than the claim lasts claims nothing.
  if (LongestElapsed(write.sent.instant, now_.instant) >= valid_for_) return;
  // The store refuses it already: acquired again, above the floor.
  if (floor_ >= write.generation) return;
  Term term;
  term.serial = ++last_term_;
  term.uid = write.uid;
  term.generation = write.generation;
  term.sent = CANARY(kCountsFromTheAnswer) ? now_ : write.sent;
  term.renew_after = schedule_.NextRenewal();
  term.clock_doubt = PauseWasHidden(write.sent, now_);
  term_ = term;
  last_renewal_ = write.sent.wall;
  watching_ = false;
  refusal_ = Refusal{};
  refusal_said_.clear();
  release_wanted_ = draining_ && work_.running() == 0;
  Emit(Transition::Kind::kAcquired);
}

void LeaseAuthority::State::Extend(const SentWrite& write) {
  CHECK(term_ && term_->serial == write.term);
  term_->sent = CANARY(kCountsFromTheAnswer) ? now_ : write.sent;
  term_->renew_after = schedule_.NextRenewal();
  // Only a renewal sent after the pause was noticed clears the doubt.
  term_->clock_doubt = (term_->clock_doubt && !write.after_doubt) ||
                       PauseWasHidden(write.sent, now_);
  if (term_->run_wanted == seen_.record().last_run) term_->run_wanted.reset();
  last_renewal_ = write.sent.wall;
  ++renewals_;
  refusal_ = Refusal{};
  refusal_said_.clear();
}

void LeaseAuthority::State::EndTerm(const char* reason) {
  CHECK(term_);
  Emit(release_ ? Transition::Kind::kReleasing : Transition::Kind::kLost,
       reason);
  const std::uint64_t serial = term_->serial;
  std::erase_if(unsettled_, [serial](const SentWrite& write) {
    return write.term == serial;
  });
  term_.reset();
  release_wanted_ = false;
}

void LeaseAuthority::State::AfterRelease(const LeaseRecord& record) {
  CHECK(release_);
  if (!record.unreadable.empty()) return;
  const bool still_ours =
      record.uid == release_->uid && record.holder == options_.identity &&
      (!record.generation ||
       ParseGeneration(*record.generation).value_or(0) <= release_->generation);
  if (!still_ours) EndRelease(IsReleased(record) && IsOwnMark(record.write));
}

void LeaseAuthority::State::EndRelease(bool acknowledged) {
  CHECK(release_);
  if (acknowledged) Emit(Transition::Kind::kReleased);
  release_.reset();
  unsettled_.clear();
  // Giving up means that another may have it first.
  stand_back_ = Gate{now_.instant, schedule_.Interval()};
}

void LeaseAuthority::State::HoldBack(const Pending& request,
                                     Duration retry_after) {
  const Duration interval = schedule_.Interval();
  const Duration base = term_ || release_ ? schedule_.Spacing() : interval;
  read_gate_ = write_gate_ = Gate{request.write.sent.instant, base};
  if (retry_after > Duration{0}) {
    // Honoured only up to the next slot: the renewal matters more.
    read_gate_ = write_gate_ =
        Gate{now_.instant, std::clamp(retry_after, std::min(base, interval),
                                      std::max(base, interval))};
  }
}

}  // namespace tenure
