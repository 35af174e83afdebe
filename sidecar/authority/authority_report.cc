// What the core says of itself: snapshots, deadlines, transitions.
#include <algorithm>
#include <utility>

#include "sidecar/authority/authority_state.h"

namespace tenure {
namespace {

// While in a term, look at the wall clock at least this often: a hidden pause
// is noticed by nothing else (design, "Time").
constexpr Duration kClockLook = std::chrono::seconds(1);

}  // namespace

CertaintyGrounds LeaseAuthority::State::Grounds() const {
  CertaintyGrounds grounds;
  if (term_) {
    grounds.term = TermSnapshot{term_->generation, term_->sent,
                                options_.times.renew_deadline, valid_for_,
                                term_->clock_doubt};
  }
  grounds.settled =
      seen_.presence() != Observation::Presence::kUnknown && !acquire_unknown_;
  grounds.server_seen = server_seen_;
  grounds.silence_limit =
      std::chrono::seconds(options_.times.lease_duration_seconds);
  return grounds;
}

AuthoritySnapshot LeaseAuthority::State::Snapshot() const {
  AuthoritySnapshot snapshot;
  static_cast<CertaintyGrounds&>(snapshot) = Grounds();
  snapshot.identity = options_.identity;
  snapshot.draining = draining_;
  snapshot.finished = finished_;
  snapshot.work_running = work_.running();
  snapshot.runs_under_way = work_.Runs();
  snapshot.holder = seen_.record().holder;
  snapshot.holder_generation = seen_.holder_generation();
  snapshot.last_run = seen_.record().last_run;
  snapshot.refusal = refusal_.message;
  snapshot.refusal_reason = refusal_.reason;
  snapshot.server_error = server_error_;
  snapshot.take_over_wait =
      TakeOverWait(seen_.SecondsGood(), options_.times.drift_ppm);
  snapshot.lease_duration_seconds = options_.times.lease_duration_seconds;
  snapshot.renew_deadline = options_.times.renew_deadline;
  snapshot.renew_interval = schedule_.Interval();
  snapshot.try_limit = schedule_.TryLimit();
  snapshot.round_trip_last = schedule_.RoundTripLast();
  snapshot.round_trip_p99 = schedule_.RoundTripP99();
  snapshot.margin = schedule_.Margin();
  snapshot.renewals = renewals_;
  snapshot.highest_generation =
      std::max({highest_generation_, seen_.highest_generation(), floor_});
  snapshot.last_renewal = last_renewal_;
  return snapshot;
}

Duration LeaseAuthority::State::NextDeadline(const Moment& now) const {
  Duration next = std::min(Next(now.instant).in, work_.ForgetsIn(now.instant));
  const auto at = [&next](Duration limit, Duration elapsed) {
    if (elapsed < limit) next = std::min(next, limit - elapsed);
  };
  if (term_) {
    const Duration elapsed = LongestElapsed(term_->sent.instant, now.instant);
    at(valid_for_, elapsed);
    at(options_.times.renew_deadline, elapsed);
    next = std::min(next, kClockLook);
  } else {
    at(std::chrono::seconds(options_.times.lease_duration_seconds),
       LongestElapsed(server_seen_, now.instant));
    // LeaseSet asks again when a slot becomes free.
    const Duration free_in = AcquirableIn(now.instant);
    if (!contend_ && free_in > Duration{0}) next = std::min(next, free_in);
  }
  if (release_) {
    at(TakeOverWait(options_.times.lease_duration_seconds,
                    options_.times.drift_ppm),
       LongestElapsed(release_->sent_before, now.instant));
  }
  return std::max(next, Duration{0});
}

bool LeaseAuthority::State::WantsWatch() const {
  // Not opened while a write of ours may end the need for it; one that is open
  // stays, because a loser waits for the winner's event on it.
  const bool acquiring =
      !watching_ && pending_ && pending_->write.kind != RequestKind::kRead;
  return seen_.presence() != Observation::Presence::kUnknown && !term_ &&
         !release_ && !draining_ && !watch_denied_ && !acquiring;
}

bool LeaseAuthority::State::Takeable(const Moment& now) const {
  return !term_ && !release_ && !draining_ && !MustRead() &&
         !Silent(now.instant) && AcquirableIn(now.instant) == Duration{0};
}

bool LeaseAuthority::State::Engaged() const {
  return term_ || acquire_unknown_ ||
         (pending_ && pending_->write.kind == RequestKind::kAcquire);
}

void LeaseAuthority::State::Emit(Transition::Kind kind, const char* reason,
                                 std::string message) {
  Transition transition;
  transition.kind = kind;
  transition.reason = reason;
  transition.message = std::move(message);
  transition.holder = seen_.record().holder;
  if (term_) {
    transition.generation = term_->generation;
  } else if (release_) {
    transition.generation = release_->generation;
  } else if (kind == Transition::Kind::kHolderObserved) {
    transition.generation = seen_.holder_generation();
  }
  out_.transitions.push_back(std::move(transition));
}

void LeaseAuthority::State::Reply(std::optional<Error> error) {
  ControlReply reply;
  reply.error = std::move(error);
  if (term_) reply.generation = term_->generation;
  out_.reply = std::move(reply);
}

// Said once for each message, and looked at again after one interval: what is
// in the way may be mended by then.
void LeaseAuthority::State::Refuse(const char* reason,
                                   const std::string& message) {
  if (!term_ && stand_back_.Remaining(now_.instant) == Duration{0}) {
    stand_back_ = Gate{now_.instant, schedule_.Interval()};
  }
  Name(reason, message);
}

void LeaseAuthority::State::Name(const char* reason,
                                 const std::string& message) {
  refusal_ = Refusal{message, reason, false};
  if (message == refusal_said_) return;
  refusal_said_ = message;
  Emit(Transition::Kind::kRefused, reason, message);
}

void LeaseAuthority::State::Announce() {
  if (draining_ && !finished_ && !term_ && !release_ && !pending_ &&
      !acquire_unknown_) {
    finished_ = true;
    Emit(Transition::Kind::kFinished);
  }
  const CertaintyAnswer answer = CertaintyAt(Grounds(), now_);
  const bool was = announced_ == Certainty::kUncertain;
  const bool is = answer.certainty == Certainty::kUncertain;
  if (is && !was) Emit(Transition::Kind::kUncertain, answer.reason);
  if (!is && was) {
    Emit(Transition::Kind::kCertain, CertaintyName(answer.certainty));
  }
  announced_ = answer.certainty;
}

}  // namespace tenure
