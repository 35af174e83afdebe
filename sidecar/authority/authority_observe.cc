// What is seen of the Lease outside the answers to our own writes: it may end
// authority and wake a contender, never grant authority (S3).
#include <algorithm>

#include "sidecar/authority/authority_state.h"
#include "sidecar/authority/canary.h"
#include "sidecar/authority/generation.h"

namespace tenure {
namespace {

// A denied watch is asked for again after this.
constexpr Duration kWatchAgain = std::chrono::minutes(1);

}  // namespace

void LeaseAuthority::State::Observe(const LeaseRecord& record) {
  // What we hold is not given up for an answer that says nothing; the next
  // write of ours finds out.
  if ((term_ || release_) && !record.unreadable.empty()) {
    write_gate_ = Gate{now_.instant, schedule_.Interval()};
    Refuse("unreadable", UnreadableMessage(record));
    return;
  }
  const std::string holder = seen_.record().holder;
  const bool first = seen_.presence() != Observation::Presence::kPresent;
  if (seen_.See(record, now_.instant)) refusal_ = Refusal{};
  if (!term_ && (first || holder != record.holder) &&
      record.holder != options_.identity) {
    Emit(Transition::Kind::kHolderObserved);
  }
  NameLongWait();
}

// S9: for as long as it is waited for, also where the record does not show it
// any more.
void LeaseAuthority::State::NameLongWait() {
  const Duration longest = std::max<Duration>(
      options_.max_foreign_duration,
      std::chrono::seconds(options_.times.lease_duration_seconds));
  const std::int32_t seconds = seen_.SecondsGood();
  if (term_ || release_ || std::chrono::seconds(seconds) <= longest ||
      seen_.record().holder == options_.identity ||
      seen_.FreeIn(now_.instant) == Duration{0}) {
    return;
  }
  Name("longDuration",
       "This Lease recorded a duration of " + std::to_string(seconds) +
           "s, above the expected maximum; it is waited for all the same, as "
           "its holder may count on it. If that holder is known to be dead, "
           "set leaseDurationSeconds to 1 and holderIdentity to \"\" by hand");
}

void LeaseAuthority::State::ObserveAbsent() {
  read_due_ = false;
  acquire_unknown_ = false;
  unsettled_.clear();
  if (seen_.SeeAbsent(now_.instant)) {
    refusal_ = Refusal{};
    if (!term_ && !release_) {
      Emit(Transition::Kind::kHolderObserved, "absent");
    }
    write_gate_ = Gate{};
  }
  if (term_) EndTerm("deleted");
  if (release_) EndRelease(false);
  NameLongWait();
}

// S3: what any read may do to a term: end it.
void LeaseAuthority::State::EndIfContradicted(const LeaseRecord& record) {
  if (!term_ || !record.unreadable.empty()) return;
  if (record.uid != term_->uid) {
    EndTerm("deleted");
  } else if (record.holder != options_.identity) {
    EndTerm(record.holder.empty() ? "emptied" : "conflict");
  } else if (record.generation &&
             ParseGeneration(*record.generation).value_or(0) >
                 term_->generation) {
    EndTerm("generation");
  } else if (WrittenByHolder(record) && !IsOwnMark(record.write)) {
    // Our name, but not a write of ours: a copy of this process.
    EndTerm("copied");
  }
}

void LeaseAuthority::State::On(const WatchEvent& input) {
  using Kind = WatchEvent::Kind;
  switch (input.kind) {
    case Kind::kOpened:
    case Kind::kBookmark:
      watching_ = !term_;
      watch_denial_said_.reset();
      server_seen_ = now_.instant;
      return;
    case Kind::kExpired:
      read_due_ = read_due_ || !term_;
      watching_ = false;
      return;
    case Kind::kClosed:
      watching_ = false;
      return;
    case Kind::kDenied:
      watching_ = false;
      watch_denied_ = true;
      watch_gate_ = Gate{now_.instant, kWatchAgain};
      if (watch_denial_said_ != input.message) {
        Emit(Transition::Kind::kWatchDenied, "denied", input.message);
      }
      watch_denial_said_ = input.message;
      return;
    case Kind::kChanged:
    case Kind::kDeleted:
      break;
  }
  server_seen_ = record_heard_ = now_.instant;
  if (seen_.IsOld(input.record)) return;
  if (input.kind == Kind::kDeleted) {
    ObserveAbsent();
    return;
  }
  Observe(input.record);
  if (!input.record.unreadable.empty()) return;  // S5: it settles nothing
  EndIfContradicted(input.record);
  if (release_) AfterRelease(input.record);
  // An event is no ground for authority (S3): one that shows a write of ours
  // sends us to read; one that shows another's settles what was contested.
  const bool ours = IsOwnMark(input.record.write);
  std::erase_if(unsettled_, [&](const SentWrite& write) {
    return !ours && write.based_on != input.record.resource_version;
  });
  if (unsettled_.empty() && !acquire_unknown_ && !release_) read_due_ = false;
  read_gate_ = write_gate_ = Gate{};
}

void LeaseAuthority::State::On(const FreshRead& input) {
  const ErrorCode code =
      input.result ? ErrorCode::kInternal : input.result.error().code;
  if (input.result || Answered(code)) server_seen_ = now_.instant;
  if (!input.result && code != ErrorCode::kNotFound) {
    Reply(Error{Answered(code) ? code : ErrorCode::kDeadlineExceeded,
                input.result.error().message});
    return;
  }
  if (input.result) {
    const LeaseRecord& record = input.result->record;
    if (!record.unreadable.empty() || record.resource_version.empty()) {
      Reply(Error{ErrorCode::kUnavailable,
                  "expected a Lease from the API server, found none that can "
                  "be read: " +
                      (record.unreadable.empty() ? "it has no resourceVersion"
                                                 : record.unreadable)});
      return;
    }
  }
  if (MayBeOvertaken(input)) return;
  if (input.result) {
    Observe(input.result->record);
    EndIfContradicted(input.result->record);
    if (CANARY(kReadsGrantAuthority) && term_) term_->sent = now_;
    if (release_) AfterRelease(input.result->record);
  } else {
    ObserveAbsent();
  }
  Reply(std::nullopt);
}

// A read is current, however low its version (a restore), unless another answer
// came while it was under way: that one may be the later. True if so; then the
// read is dropped, and replied to.
bool LeaseAuthority::State::MayBeOvertaken(const FreshRead& input) {
  if (input.asked.boot > record_heard_.boot) return false;
  if (input.result && !seen_.IsOld(input.result->record)) return false;
  const bool agrees =
      !term_ || (input.result && input.result->record.uid == term_->uid &&
                 input.result->record.holder == options_.identity);
  if (agrees) {
    Reply(std::nullopt);
    return true;
  }
  read_due_ = true;
  Reply(Error{ErrorCode::kUnavailable,
              "expected the API server to tell what this sidecar knows, found "
              "another state, perhaps of before its last write; it is being "
              "read again, ask again"});
  return true;
}

}  // namespace tenure
