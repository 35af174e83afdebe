// What is seen of the Lease outside the answers to our own writes: it may end
// authority and wake a contender, never grant authority (S3).

#include "sidecar/authority/authority_state.h"
#include "sidecar/authority/canary.h"
#include "sidecar/authority/generation.h"

namespace tenure {

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
  const std::optional<std::int32_t> seconds = seen_.record().duration_seconds;
  if (seen_.See(record, now_.instant)) refusal_ = Refusal{};
  if (!term_ && (first || holder != record.holder) &&
      record.holder != options_.identity) {
    Emit(Transition::Kind::kHolderObserved);
  }
  const std::int32_t recorded = record.duration_seconds.value_or(0);
  if (std::chrono::seconds(recorded) > options_.max_foreign_duration &&
      (first || seconds != record.duration_seconds)) {
    Refuse("longDuration",
           "The Lease records a duration of " + std::to_string(recorded) +
               "s, above the expected maximum; it is waited for all the same. "
               "If its holder is known to be dead, set leaseDurationSeconds to "
               "1 and holderIdentity to \"\" by hand");
  }
}

void LeaseAuthority::State::ObserveAbsent() {
  read_due_ = false;
  acquire_unknown_ = false;
  unsettled_.clear();
  if (seen_.SeeAbsent(now_.instant)) {
    if (!term_ && !release_) {
      Emit(Transition::Kind::kHolderObserved, "absent");
    }
    read_gate_ = write_gate_ = Gate{};
  }
  if (term_) EndTerm("deleted");
  if (release_) EndRelease(false);
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
      if (!watch_denied_) {
        Emit(Transition::Kind::kWatchDenied, "denied", input.message);
      }
      watch_denied_ = true;
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
  if (!input.result) {
    if (Answered(input.result.error().code)) server_seen_ = now_.instant;
    if (input.result.error().code == ErrorCode::kNotFound) ObserveAbsent();
    return;
  }
  server_seen_ = now_.instant;
  // It may have been served before our last write was: then it says nothing.
  if (seen_.IsOld(input.result->record)) return;
  Observe(input.result->record);
  EndIfContradicted(input.result->record);
  if (CANARY(kReadsGrantAuthority) && term_) term_->sent = now_;
  if (release_) AfterRelease(input.result->record);
}

}  // namespace tenure
