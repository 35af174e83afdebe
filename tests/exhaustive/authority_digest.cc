#include "tests/exhaustive/authority_digest.h"

#include <algorithm>
#include <chrono>

#include "sidecar/authority/authority_state.h"
#include "sidecar/base/check.h"

namespace tenure {
namespace {

using exhaustive::StateHash;

// Every structured binding below names all fields of its type.

// Two readings, each up to where more of it changes nothing.
void AddElapsed(const Instant& from, const Moment& now, Duration relevant,
                StateHash* hash) {
  const bool old = LongestElapsed(from, now.instant) >= relevant;
  hash->Add(old);
  if (old) return;
  hash->Add(now.instant.boot - from.boot);
  hash->Add(now.instant.raw - from.raw);
}

void AddElapsed(const Moment& from, const Moment& now, Duration relevant,
                StateHash* hash) {
  const auto& [instant, wall] = from;
  AddElapsed(instant, now, relevant, hash);
  // An old one is looked at no more.
  if (LongestElapsed(instant, now.instant) < relevant) {
    hash->Add(WallAhead(from, now));
  }
}

}  // namespace

void AuthorityDigest::AddRecord(const LeaseRecord& record, StateHash* hash) {
  // `transitions` is passed on and never looked at; times of other clocks are
  // compared, and two writes that differ in them differ in their mark.
  const auto& [uid, version, holder, seconds, acquired, renewed, transitions,
               generation, write, last_run, document, unreadable] = record;
  hash->AddName(uid);
  hash->AddDecimal(version);
  hash->AddName(holder);
  hash->Add(seconds.value_or(-1));
  hash->Add(generation.has_value());
  if (generation) hash->AddDecimal(*generation);
  hash->AddName(write);
  hash->Add(WrittenByHolder(record));
  hash->AddText(last_run.id);
  hash->AddText(last_run.order);
  hash->AddName(document);
  hash->AddName(unreadable);
}

void AuthorityDigest::AddGate(const Gate& gate, const Moment& now,
                              StateHash* hash) {
  const auto& [from, wait] = gate;
  // An open gate stays open.
  const bool open = gate.Remaining(now.instant) == Duration{0};
  hash->Add(open);
  if (open) return;
  hash->Add(wait);
  AddElapsed(from, now, wait, hash);
}

void AuthorityDigest::AddWrite(const SentWrite& write, const Moment& now,
                               Duration relevant, StateHash* hash) {
  const auto& [kind, sent, mark, uid, based_on, generation, term, after_doubt] =
      write;
  hash->Add(static_cast<std::int64_t>(kind));
  AddElapsed(sent, now, relevant, hash);
  hash->AddName(mark);
  hash->AddName(uid);
  hash->AddDecimal(based_on);
  hash->AddNumber(generation);
  hash->AddSerial(term);
  hash->Add(after_doubt);
}

void AuthorityDigest::AddSchedule(const RenewalSchedule& schedule,
                                  StateHash* hash) {
  // Pauses and the last round trip are only reported.
  [[maybe_unused]] const auto& [times, jitter, round_trips, pauses, last,
                                try_limit, interval] = schedule;
  // Of fewer than a hundred round trips the p99 is the longest, and the limit
  // of a try is as much as the core can tell of it.
  hash->Add(try_limit);
  hash->Add(interval);
}

void AuthorityDigest::AddSeen(const Observation& seen, const Moment& now,
                              StateHash* hash) {
  // The holder's generation is the record's.
  [[maybe_unused]] const auto& [own_seconds, drift, absent, presence, record,
                                since, newest, last_holder, under_holder,
                                under_name, highest, of_holder] = seen;
  hash->Add(static_cast<std::int64_t>(presence));
  AddRecord(record, hash);
  // What stood still for long enough stays free until it changes.
  const bool free = seen.FreeIn(now.instant) == Duration{0};
  hash->Add(free);
  const bool counted = presence != Observation::Presence::kUnknown && !free;
  if (counted) AddElapsed(since, now, Duration::max(), hash);
  hash->AddDecimal(newest);
  hash->AddName(last_holder);
  hash->Add(under_holder);
  hash->Add(under_name);
  hash->AddNumber(highest);
}

void AuthorityDigest::Add(const LeaseAuthority& core, const Moment& now,
                          StateHash* hash) {
  // Not told: the options, which are the same everywhere; counters that only
  // make the next serial; what is only reported; the leftovers of a step.
  const auto& [options, valid_for, schedule, seen, work, term, release, pending,
               unsettled, own_marks, last_id, last_term, highest, floor,
               renewals, last_renewal, server_seen, server_error, record_heard,
               read_gate, write_gate, create_gate, stand_back, watch_gate,
               denial_said, refusal, refusal_said, announced, read_due,
               acquire_unknown, watching, watch_denied, contend, release_wanted,
               draining, finished, now_of_step, out, due] = *core.state_;
  const Duration good = std::chrono::seconds(
      options.times.lease_duration_seconds);  // nothing is watched for longer
  const Duration wait = TakeOverWait(options.times.lease_duration_seconds,
                                     options.times.drift_ppm);
  CHECK(last_id < 80);  // fewer than a hundred, whatever follows
  hash->AddName(options.identity);
  AddSchedule(schedule, hash);
  AddSeen(seen, now, hash);
  [[maybe_unused]] const auto& [forget_after, by_generation, running, runs] =
      work;
  CHECK(runs.empty());  // none is to happen once
  hash->Add(running);
  for (const auto& [generation, count] : by_generation) {
    hash->AddNumber(generation);
    hash->Add(count);
  }
  hash->Add(term.has_value());
  if (term) {
    const auto& [serial, uid, generation, sent, renew_after, doubt, run_wanted,
                 run_due] = *term;
    hash->AddSerial(serial);
    hash->AddName(uid);
    hash->AddNumber(generation);
    AddElapsed(sent, now, valid_for, hash);
    hash->Add(renew_after);
    hash->Add(doubt + 2 * run_due + 4 * run_wanted.has_value());
    if (run_wanted) {
      hash->AddText(run_wanted->id);
      hash->AddText(run_wanted->order);
    }
  }
  hash->Add(release.has_value());
  if (release) {
    const auto& [uid, generation, sent_before] = *release;
    hash->AddName(uid);
    hash->AddNumber(generation);
    AddElapsed(sent_before, now, wait, hash);
  }
  hash->Add(pending.has_value());
  if (pending) {
    [[maybe_unused]] const auto& [id, limit, write] = *pending;
    hash->Add(limit);
    AddWrite(write, now, wait, hash);
  }
  hash->Add(static_cast<std::int64_t>(unsettled.size()));
  for (const SentWrite& write : unsettled) AddWrite(write, now, wait, hash);
  hash->AddNumber(highest);
  hash->AddNumber(floor);
  AddElapsed(server_seen, now, good, hash);
  AddElapsed(record_heard, now, schedule.times().renew_interval, hash);
  AddGate(read_gate, now, hash);
  AddGate(write_gate, now, hash);
  AddGate(create_gate, now, hash);
  AddGate(stand_back, now, hash);
  AddGate(watch_gate, now, hash);
  hash->AddText(denial_said.value_or(""));
  const auto& [message, reason, by_answer] = refusal;
  hash->AddText(message);
  hash->AddText(reason);
  hash->Add(by_answer);
  hash->AddText(refusal_said);
  hash->Add(read_due + 2 * acquire_unknown + 4 * watching + 8 * watch_denied +
            16 * contend + 32 * release_wanted + 64 * draining +
            128 * finished);
}

void AuthorityDigest::AddOwnMarks(const LeaseAuthority& core, StateHash* hash) {
  CHECK(core.state_->own_marks_.size() < 32);  // none was forgotten
  for (const std::string_view name : hash->names()) {
    const auto& marks = core.state_->own_marks_;
    hash->Add(std::find(marks.begin(), marks.end(), name) != marks.end());
  }
}

void AuthorityDigest::RewindJitter(LeaseAuthority* core) {
  core->state_->schedule_.jitter_ = Prng(29);
}

}  // namespace tenure
