// What to send next and when, and how each write is filled in.
#include <algorithm>
#include <limits>
#include <utility>

#include "sidecar/authority/authority_state.h"
#include "sidecar/authority/canary.h"
#include "sidecar/authority/generation.h"
#include "sidecar/base/check.h"

namespace tenure {
namespace {

std::int32_t OneMore(std::int32_t transitions) {
  return transitions == std::numeric_limits<std::int32_t>::max()
             ? transitions
             : transitions + 1;
}

}  // namespace

Duration Gate::Remaining(const Instant& now) const {
  return std::max(wait - LongestElapsed(from, now), Duration{0});
}

LeaseAuthority::State::Plan LeaseAuthority::State::Next(
    const Instant& now) const {
  const Duration read_gate = read_gate_.Remaining(now);
  const Duration write_gate = write_gate_.Remaining(now);
  if (pending_) return {};  // S13
  if (release_) {
    if (read_due_) return {RequestKind::kRead, read_gate};
    return {RequestKind::kRelease, write_gate};
  }
  if (term_) {
    if (release_wanted_) return {RequestKind::kRelease, Duration{0}};
    if (read_due_) return {RequestKind::kRead, read_gate};
    if (term_->clock_doubt || term_->run_due) {
      return {RequestKind::kRenew, write_gate};
    }
    const Duration due =
        term_->renew_after - LongestElapsed(term_->sent.instant, now);
    return {RequestKind::kRenew, std::max(due, write_gate)};
  }
  if (draining_ && !acquire_unknown_) return {};
  // After a silence what is known is too old to base a write on.
  if (MustRead() || Silent(now)) return {RequestKind::kRead, read_gate};
  if (seen_.presence() == Observation::Presence::kAbsent) {
    return {RequestKind::kCreate,
            std::max(write_gate, create_gate_.Remaining(now))};
  }
  const Plan acquire{RequestKind::kAcquire,
                     contend_ ? AcquirableIn(now) : Duration::max()};
  const Plan poll{RequestKind::kRead, std::max(PollIn(now), read_gate)};
  return acquire.in <= poll.in ? acquire : poll;
}

bool LeaseAuthority::State::Silent(const Instant& now) const {
  return LongestElapsed(server_seen_, now) >=
         std::chrono::seconds(options_.times.lease_duration_seconds);
}

bool LeaseAuthority::State::MustRead() const {
  CHECK(read_due_ || seen_.presence() != Observation::Presence::kUnknown);
  return read_due_;
}

Duration LeaseAuthority::State::AcquirableIn(const Instant& now) const {
  if (seen_.presence() != Observation::Presence::kPresent) {
    return Duration::max();
  }
  // S6: at once if the record still bears our own name, written by this very
  // process (a copy of it shares the name), and no work of ours can run.
  const bool ours = seen_.record().holder == options_.identity &&
                    IsOwnMark(seen_.record().write) && work_.running() == 0;
  const Duration free_in = ours ? Duration{0} : seen_.FreeIn(now);
  return std::max(
      {free_in, stand_back_.Remaining(now), write_gate_.Remaining(now)});
}

// A watch that lives says what changes; only its silence is worth a read, soon
// enough for the answer to come before the silence makes us uncertain.
Duration LeaseAuthority::State::PollIn(const Instant& now) const {
  const Duration interval = schedule_.Interval();
  const Duration limit =
      std::chrono::seconds(options_.times.lease_duration_seconds);
  // A watch that opens and breaks is a sign of life but tells nothing.
  const Duration wait =
      watching_ ? limit - interval - LongestElapsed(server_seen_, now)
                : interval - LongestElapsed(record_heard_, now);
  return std::max(wait, Duration{0});
}

bool LeaseAuthority::State::IsOwnMark(const std::string& mark) const {
  return std::find(own_marks_.begin(), own_marks_.end(), mark) !=
         own_marks_.end();
}

// S3: the returned object must show our uid, holder, nonce, generation and D;
// anything on the way may have changed them.
bool LeaseAuthority::State::AcknowledgedBy(const LeaseRecord& record,
                                           const SentWrite& write) const {
  return record.unreadable.empty() && record.uid == write.uid &&
         record.holder == options_.identity &&
         (CANARY(kTrustsAnyMark) || record.write == write.mark) &&
         record.generation == std::to_string(write.generation) &&
         record.duration_seconds == options_.times.lease_duration_seconds;
}

// What makes room is never the mark that the record bears, or that it may come
// to bear: without it our own write would look like a copy's.
void LeaseAuthority::State::Remember(const SentWrite& write) {
  if (own_marks_.size() >= kMaxOwnMarks) {
    const auto needless = [this](const std::string& mark) {
      return mark != seen_.record().write &&
             std::none_of(
                 unsettled_.begin(), unsettled_.end(),
                 [&mark](const SentWrite& one) { return one.mark == mark; });
    };
    const auto oldest =
        std::find_if(own_marks_.begin(), own_marks_.end(), needless);
    CHECK(oldest != own_marks_.end());
    own_marks_.erase(oldest);
  }
  own_marks_.push_back(write.mark);
}

std::string UnreadableMessage(const LeaseRecord& record) {
  return "The Lease cannot be read and is not overwritten: " +
         record.unreadable + "; correct or delete it";
}

bool LeaseAuthority::State::FillAcquire(LeaseWrite* write, SentWrite* sent) {
  const LeaseRecord& record = seen_.record();
  if (!record.unreadable.empty()) {
    Refuse("unreadable", UnreadableMessage(record));
    return false;
  }
  Witnesses witnesses;
  witnesses.highest_seen =
      std::max(highest_generation_, seen_.highest_generation());
  witnesses.min_generation = options_.min_generation;
  witnesses.floor = floor_;
  const Result<std::int64_t> next = NextGeneration(record, witnesses);
  if (!next) {
    Refuse("generation", next.error().message);
    return false;
  }
  sent->generation =
      CANARY(kReturnsWithItsGeneration) && record.holder == options_.identity
          ? highest_generation_
          : *next;
  write->holder = options_.identity;
  write->duration_seconds = options_.times.lease_duration_seconds;
  write->acquire_time = now_.wall;
  write->renew_time = now_.wall;
  write->generation = sent->generation;
  // As client-go counts: not for the same identity, from 0 on a new Lease.
  if (!record.transitions) {
    write->transitions = 0;
  } else if (record.holder != options_.identity) {
    write->transitions = OneMore(*record.transitions);
  }
  return true;
}

// S7: every holder write restates holder, D, generation and nonce; so does the
// release, with its own form of the first two.
void LeaseAuthority::State::FillHolderWrite(RequestKind kind, LeaseWrite* write,
                                            SentWrite* sent) {
  const bool release = kind == RequestKind::kRelease;
  CHECK(release ? release_.has_value() : term_.has_value());
  sent->generation = release ? release_->generation : term_->generation;
  write->uid = sent->uid = release ? release_->uid : term_->uid;
  write->generation = sent->generation;
  write->renew_time = now_.wall;
  write->holder = release ? "" : options_.identity;
  write->duration_seconds = release ? 1 : options_.times.lease_duration_seconds;
  if (!release) {
    write->last_run = term_->run_wanted;
    term_->run_due = false;
    sent->term = term_->serial;
    sent->after_doubt = term_->clock_doubt;
  }
}

void LeaseAuthority::State::Send(RequestKind kind, const Entropy& entropy) {
  CHECK(!pending_);
  if (kind == RequestKind::kRelease && term_) {
    // S10: the term ends the instant before its release is sent.
    release_ = Release{term_->uid, term_->generation, term_->sent.instant};
    EndTerm("released");
  }
  Request request;
  SentWrite sent;
  request.kind = sent.kind = kind;
  sent.sent = now_;
  LeaseWrite& write = request.write;
  if (kind != RequestKind::kRead) {
    sent.mark = write.write = WriteMark(options_.identity, entropy);
  }
  if (kind == RequestKind::kCreate) {
    // What somebody deletes again and again is not created in a loop.
    create_gate_ = Gate{now_.instant, schedule_.Interval()};
    // S4, S9: names no holder, and is not the release form, which would tell
    // others that it is free.
    write.duration_seconds = options_.times.lease_duration_seconds;
  } else if (kind != RequestKind::kRead) {
    const LeaseRecord& record = seen_.record();
    write.uid = sent.uid = record.uid;
    write.resource_version = sent.based_on = record.resource_version;
    write.document = record.document;
    if (kind == RequestKind::kAcquire) {
      if (!FillAcquire(&write, &sent)) return;
    } else {
      FillHolderWrite(kind, &write, &sent);
    }
  }
  if (CANARY(kSendsNoUid)) write.uid.clear();
  if (kind != RequestKind::kRead) Remember(sent);
  request.id = ++last_id_;
  request.limit = schedule_.TryLimit();
  pending_ = Pending{request.id, request.limit, std::move(sent)};
  out_.request = std::move(request);
}

}  // namespace tenure
