#include "sidecar/authority/observation.h"

#include <algorithm>

#include "sidecar/authority/canary.h"
#include "sidecar/authority/generation.h"
#include "sidecar/authority/renewal_schedule.h"

namespace tenure {

Observation::Observation(const AuthorityOptions& options)
    : own_seconds_(options.times.lease_duration_seconds),
      drift_ppm_(options.times.drift_ppm),
      absent_lease_(options.absent_lease) {}

bool Observation::See(const LeaseRecord& record, const Instant& received) {
  const bool changed =
      presence_ != Presence::kPresent || Changed(record_, record);
  const std::int32_t seconds = record.duration_seconds.value_or(0);
  // A record that could not be read tells of no other holder.
  if (record.unreadable.empty()) {
    const bool same_holder = last_holder_ == record.holder;
    longest_under_holder_ =
        same_holder ? std::max(longest_under_holder_, seconds) : seconds;
    last_holder_ = record.holder;
  }
  longest_under_name_ = std::max(longest_under_name_, seconds);
  if (changed) since_ = received;
  presence_ = Presence::kPresent;
  record_ = record;
  newest_ = record.resource_version;
  holder_generation_ = HolderGeneration(record);
  // Only what a Tenure process wrote is remembered: what somebody typed is a
  // witness while it stands. One at the very top is poisoned; remembering it
  // would leave no way out but a restart.
  if (record.generation && !record.write.empty()) {
    const std::int64_t generation =
        ParseGeneration(*record.generation).value_or(0);
    if (generation < kMaxGeneration) {
      highest_generation_ = std::max(highest_generation_, generation);
    }
  }
  return changed;
}

bool Observation::SeeAbsent(const Instant& received) {
  const bool changed = presence_ != Presence::kAbsent;
  if (changed) since_ = received;
  presence_ = Presence::kAbsent;
  record_ = LeaseRecord{};
  holder_generation_ = 0;
  last_holder_.clear();
  longest_under_holder_ = 0;
  return changed;
}

bool Observation::IsOld(const LeaseRecord& event) const {
  return !newest_.empty() &&
         CompareResourceVersions(event.resource_version, newest_) <= 0;
}

std::int32_t Observation::SecondsGood() const {
  if (CANARY(kBelievesAShortenedD)) {
    return record_.duration_seconds.value_or(own_seconds_);
  }
  const bool held = presence_ == Presence::kPresent &&
                    record_.unreadable.empty() && !record_.holder.empty();
  return std::max(own_seconds_,
                  held ? longest_under_holder_ : longest_under_name_);
}

Duration Observation::FreeIn(const Instant& now) const {
  if (presence_ == Presence::kUnknown) return Duration::max();
  if (presence_ == Presence::kPresent && IsReleased(record_)) {
    return Duration{0};
  }
  const bool nobody = record_.holder.empty() && record_.unreadable.empty();
  if (nobody && absent_lease_ == AbsentLease::kTake) return Duration{0};
  if (nobody && CANARY(kEmptiedIsFree)) return Duration{0};
  const Duration wait = TakeOverWait(SecondsGood(), drift_ppm_);
  return std::max(wait - ShortestElapsed(since_, now), Duration{0});
}

}  // namespace tenure
