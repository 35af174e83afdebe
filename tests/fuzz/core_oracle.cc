#include "tests/fuzz/core_oracle.h"

#include <algorithm>

#include "sidecar/authority/generation.h"
#include "sidecar/authority/renewal_schedule.h"
#include "tests/fuzz/expect.h"
#include "tests/passing_time.h"

namespace tenure::fuzz {
namespace {

constexpr int kMostTicksAtOnce = 8;

bool Grants(RequestKind kind) {
  return kind == RequestKind::kAcquire || kind == RequestKind::kRenew;
}

std::int64_t GenerationOf(const AuthoritySnapshot& snapshot) {
  return snapshot.term ? snapshot.term->generation : 0;
}

bool Held(const AuthoritySnapshot& snapshot, const Moment& now) {
  return CertaintyAt(snapshot, now).certainty == Certainty::kHeld;
}

}  // namespace

CoreOracle::CoreOracle(const AuthorityOptions& options)
    : options_(options), core_(options) {}

std::int64_t CoreOracle::generation() const {
  return GenerationOf(core_.Snapshot());
}

void CoreOracle::Give(const Moment& now, const Input& input) {
  Step(now, input);
  int ticks = 0;
  while (core_.NextDeadline(now) <= Duration{0}) {
    Expect(++ticks <= kMostTicksAtOnce, "S13: the driver is not kept spinning");
    Step(now, Tick{});
  }
  const AuthoritySnapshot snapshot = core_.Snapshot();
  Expect(in_flight_ || snapshot.draining || !contends_ ||
             core_.NextDeadline(now) < Duration::max(),
         "S12: a live process holds or contends");
  Expect(!snapshot.finished || (!snapshot.term && !in_flight_),
         "finished: nothing is held, nothing is in flight");
}

void CoreOracle::Step(const Moment& now, const Input& input) {
  const AuthoritySnapshot before = core_.Snapshot();
  const auto* done = std::get_if<RequestDone>(&input);
  const bool answered =
      done != nullptr && in_flight_.has_value() && done->id == in_flight_->id;
  Hear(now, input);
  ++entropy_;
  const Output output = core_.Step(now, Entropy{entropy_, 0}, input);
  if (answered) in_flight_.reset();
  CheckReply(now, input, before, output);
  if (output.request) CheckRequest(now, *output.request);
  CheckTerm(now, answered, before);
  for (const Transition& transition : output.transitions) {
    if (!transition.message.empty()) ExpectOneLine(transition.message);
  }
}

// Remembers every record that the core is shown.
void CoreOracle::Hear(const Moment& now, const Input& input) {
  if (const auto* contention = std::get_if<SetContention>(&input)) {
    contends_ = contention->allowed;
  }
  const LeaseRecord* record = nullptr;
  if (const auto* done = std::get_if<RequestDone>(&input)) {
    if (done->result) record = &done->result->record;
  } else if (const auto* event = std::get_if<WatchEvent>(&input)) {
    if (event->kind == WatchEvent::Kind::kChanged) record = &event->record;
  } else if (const auto* fresh = std::get_if<FreshRead>(&input)) {
    if (fresh->result) record = &fresh->result->record;
  }
  if (record != nullptr) told_.push_back(Told{*record, now.instant});
}

void CoreOracle::CheckReply(const Moment& now, const Input& input,
                            const AuthoritySnapshot& before,
                            const Output& output) {
  const bool control = std::holds_alternative<StartWork>(input) ||
                       std::holds_alternative<FinishWork>(input) ||
                       std::holds_alternative<GiveUp>(input) ||
                       std::holds_alternative<RecordRun>(input) ||
                       std::holds_alternative<RaiseFloor>(input) ||
                       std::holds_alternative<FreshRead>(input);
  Expect(control == output.reply.has_value(),
         "each control request has a reply, and nothing else has");
  if (!control) return;
  const AuthoritySnapshot after = core_.Snapshot();
  if (output.reply->error) {
    ExpectOneLine(output.reply->error->message);
    return;
  }
  if (const auto* start = std::get_if<StartWork>(&input)) {
    ++work_;
    Expect(Held(before, now) && GenerationOf(before) == start->generation,
           "S10: work starts only under a held generation");
  } else if (std::holds_alternative<FinishWork>(input)) {
    --work_;
    Expect(work_ >= 0, "no work ends that did not start");
  } else if (const auto* give_up = std::get_if<GiveUp>(&input)) {
    Expect(work_ == 0 && GenerationOf(before) == give_up->generation,
           "S10: only an idle term is released, by its own generation");
  } else if (const auto* run = std::get_if<RecordRun>(&input)) {
    Expect(GenerationOf(before) == run->generation,
           "a run is recorded only in its own term");
  } else if (const auto* raise = std::get_if<RaiseFloor>(&input)) {
    floor_ = std::max(floor_, raise->floor);
    Expect(GenerationOf(after) == 0 || GenerationOf(after) > floor_,
           "a floor ends a term that is not above it");
  }
}

// S11: the record that a write is based on was shown, whole.
const LeaseRecord* CoreOracle::BaseOf(const LeaseWrite& write) const {
  for (auto told = told_.rbegin(); told != told_.rend(); ++told) {
    if (told->record.document == write.document &&
        told->record.uid == write.uid &&
        told->record.resource_version == write.resource_version) {
      return &told->record;
    }
  }
  return nullptr;
}

void CoreOracle::CheckRequest(const Moment& now, const Request& request) {
  const LeaseWrite& write = request.write;
  const AuthoritySnapshot snapshot = core_.Snapshot();
  Expect(!in_flight_, "S13: one request in flight");
  Expect(request.limit > Duration{0}, "S13: a request is given up some time");
  in_flight_ = request;
  if (request.kind == RequestKind::kRead) return;
  Expect(!write.write.empty() && marks_.insert(write.write).second,
         "S5: a mark is fresh", write.write);
  sent_.push_back(request);
  sent_at_.push_back(now);
  if (request.kind == RequestKind::kCreate) {
    Expect(write.uid.empty() && write.resource_version.empty() &&
               write.holder.empty() && write.duration_seconds > 1,
           "S4, S9: a create names no holder and is not the release form");
    return;
  }
  const LeaseRecord* base = BaseOf(write);
  Expect(base != nullptr, "S4, S11: a write is based on what was shown");
  Expect(base->unreadable.empty(), "S9: what cannot be read is not overwritten",
         base->unreadable);
  Expect(write.generation.has_value(), "S7: every write says its generation");
  if (request.kind == RequestKind::kRelease) {
    Expect(write.holder.empty() && write.duration_seconds == 1,
           "S9: the release form");
    Expect(!Held(snapshot, now) && !snapshot.term,
           "S10: the term ends before its release is sent");
    Expect(work_ == 0 || released_ == *write.generation,
           "S10: released after the work");
    released_ = std::max(released_, *write.generation);
    return;
  }
  Expect(write.holder == options_.identity &&
             write.duration_seconds == options_.times.lease_duration_seconds,
         "S7: a holder write restates holder and D");
  Expect(*write.generation > released_, "S10: nothing follows a release");
  if (request.kind == RequestKind::kAcquire) {
    CheckAcquire(now, write, *base);
  } else {
    Expect(GenerationOf(snapshot) == *write.generation,
           "S6: a renewal belongs to the running term");
  }
}

void CoreOracle::CheckAcquire(const Moment& now, const LeaseWrite& write,
                              const LeaseRecord& base) {
  Expect(contends_, "a standby without permission only observes");
  Expect(core_.Snapshot().term == std::nullopt, "S6: one term at a time");
  const std::int64_t version =
      std::strtoll(base.resource_version.c_str(), nullptr, 10);
  const std::int64_t annotated =
      base.generation ? ParseGeneration(*base.generation).value_or(0) : 0;
  Expect(*write.generation > std::max({version, annotated, floor_, ended_,
                                       options_.min_generation}),
         "S7: above every witness");
  Expect(*write.generation <= kMaxGeneration, "S7: within the range");
  const bool ours =
      base.holder == options_.identity && marks_.contains(base.write);
  if (IsReleased(base) || (ours && work_ == 0)) return;
  if (base.holder.empty() && options_.absent_lease == AbsentLease::kTake) {
    return;
  }
  const auto first = std::find_if(
      told_.begin(), told_.end(),
      [&](const Told& told) { return !Changed(told.record, base); });
  Expect(first != told_.end() &&
             ShortestElapsed(first->when, now.instant) >=
                 TakeOverWait(std::max(options_.times.lease_duration_seconds,
                                       base.duration_seconds.value_or(0)),
                              options_.times.drift_ppm),
         "S9: taken only when it stood still for long enough");
}

// S3: whether an answer showed this very write, unchanged.
bool CoreOracle::Acknowledged(const Request& request) const {
  return std::any_of(told_.begin(), told_.end(), [&](const Told& told) {
    const LeaseRecord& record = told.record;
    return record.unreadable.empty() && record.uid == request.write.uid &&
           record.holder == request.write.holder &&
           record.write == request.write.write &&
           record.generation == std::to_string(*request.write.generation) &&
           record.duration_seconds == request.write.duration_seconds;
  });
}

void CoreOracle::CheckTerm(const Moment& now, bool answered,
                           const AuthoritySnapshot& before) {
  const AuthoritySnapshot after = core_.Snapshot();
  Expect(after.work_running == work_, "S10: work runs until it is done");
  if (!after.refusal.empty()) ExpectOneLine(after.refusal);
  const std::int64_t was = GenerationOf(before);
  if (was != 0 && was != GenerationOf(after)) ended_ = std::max(ended_, was);
  if (!after.term) {
    Expect(!Held(after, now), "S1: nothing is held without a term");
    return;
  }
  const TermSnapshot& term = *after.term;
  Expect(term.generation > ended_, "S6: a term that ended stays ended");
  Moment later = now;
  later.instant = Later(now.instant, term.valid_for);
  Expect(!Held(after, later), "S1: held ends by itself");
  Expect(term.valid_for <
             std::chrono::seconds(options_.times.lease_duration_seconds),
         "S2: less than D is claimed");
  const bool extended =
      was == term.generation && before.term->sent.instant == term.sent.instant;
  if (extended) return;
  Expect(answered, "S3: only an answer to our own request grants anything");
  Expect(LongestElapsed(term.sent.instant, now.instant) < term.valid_for ||
             was == term.generation,
         "S2: a term does not begin after its own end");
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    if (Grants(sent_[i].kind) && sent_[i].write.generation == term.generation &&
        sent_at_[i].instant == term.sent.instant && Acknowledged(sent_[i])) {
      return;
    }
  }
  Expect(false, "S2, S3: counted from the sending of an acknowledged write");
}

}  // namespace tenure::fuzz
