#include "sidecar/authority/renewal_schedule.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "sidecar/authority/canary.h"
#include "sidecar/base/check.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int32_t kMaxDurationSeconds = 7 * 24 * 3600;
constexpr std::int32_t kMaxDriftPpm = 200'000;  // 20 %
constexpr Duration kShortestInterval = milliseconds(50);
constexpr Duration kShortestTry = milliseconds(50);
constexpr Duration kLongestTry = seconds(10);
constexpr Duration kLongestSpacing = seconds(1);
constexpr int kTries = 3;     // that must fit before renew_by
constexpr int kPatience = 4;  // a try may take this many p99 round trips

// Exact, and without overflow for any number of seconds in a record.
Duration Stretched(seconds value, std::int64_t ppm) {
  return std::chrono::microseconds(value.count() * (kMillion + ppm));
}

Duration SpacingFor(Duration interval) {
  return std::clamp(interval / 4, Duration(milliseconds(10)),
                    Duration(kLongestSpacing));
}

// "2.5s", "450ms", "1000h", "1ns": short enough for a sentence, never with an
// exponent.
std::string Text(Duration value) {
  if (value < Duration{0}) return std::string("-").append(Text(-value));
  if (value > Duration{0} && value < std::chrono::microseconds(1)) {
    return std::to_string(value.count()) + "ns";
  }
  if (value >= std::chrono::hours(1)) {
    const auto whole = std::chrono::floor<std::chrono::minutes>(value);
    const std::int64_t minutes = whole.count() % 60;
    return std::to_string(whole.count() / 60) + "h" +
           (minutes == 0 ? "" : std::to_string(minutes) + "m") +
           (value == whole ? "" : Text(value - whole));
  }
  const double s = std::chrono::duration<double>(value).count();
  char buffer[32];
  if (value != Duration{0} && value < milliseconds(1)) {
    std::snprintf(buffer, sizeof buffer, "%.4gus", s * 1'000'000);
  } else if (value != Duration{0} && value < seconds(1)) {
    std::snprintf(buffer, sizeof buffer, "%.4gms", s * 1000);
  } else {
    std::snprintf(buffer, sizeof buffer, "%.6gs", s);
  }
  return buffer;
}

std::string Percent(std::int32_t ppm) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g%%", ppm / 10'000.0);
  return buffer;
}

std::unexpected<Error> Impossible(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Result<void> CheckRanges(const LeaseTimes& t) {
  if (t.lease_duration_seconds < 2 ||
      t.lease_duration_seconds > kMaxDurationSeconds) {
    return Impossible("lease duration: expected 2s to 168h, found " +
                      std::to_string(t.lease_duration_seconds) +
                      "s; 1s is the mark of a released Lease");
  }
  if (t.drift_ppm < 0 || t.drift_ppm > kMaxDriftPpm) {
    return Impossible("drift allowance: expected 0% to 20%, found " +
                      Percent(t.drift_ppm));
  }
  if (t.renew_interval < kShortestInterval) {
    return Impossible("renew interval: expected at least 50ms, found " +
                      Text(t.renew_interval));
  }
  if (t.foreign_contenders && t.renew_interval < seconds(2)) {
    return Impossible(
        "renew interval: expected at least 2s beside foreign contenders, whose "
        "electors compare times cut to whole seconds, found " +
        Text(t.renew_interval));
  }
  if (t.min_renew_interval > t.renew_interval) {
    return Impossible(
        "min renew interval: expected at most the renew interval " +
        Text(t.renew_interval) + ", found " + Text(t.min_renew_interval));
  }
  return {};
}

Result<void> CheckDeadline(const LeaseTimes& t) {
  const Duration valid = ValidFor(t);
  if (t.renew_deadline >= valid) {
    const std::string sum =
        t.foreign_contenders
            ? "(lease duration " + std::to_string(t.lease_duration_seconds) +
                  "s - 1s) x (1 - " + Percent(t.drift_ppm) + ") / (1 + " +
                  Percent(t.drift_ppm) + ") = "
            : "lease duration " + std::to_string(t.lease_duration_seconds) +
                  "s x (1 - " + Percent(t.drift_ppm) + ") = ";
    return Impossible("renew deadline: expected less than " + sum +
                      Text(valid) + ", found " + Text(t.renew_deadline) +
                      "; raise the lease duration or lower the renew deadline");
  }
  return {};
}

// kTries tries of `limit`, with a spacing after each.
Duration TriesTake(Duration limit, Duration spacing) {
  return kTries * (limit + spacing);
}

Result<void> CheckTries(const LeaseTimes& t, Duration interval, Duration limit,
                        const char* which) {
  const Duration spacing = SpacingFor(t.renew_interval);
  const Duration need = interval + TriesTake(limit, spacing);
  if (limit < kShortestTry || need > t.renew_deadline) {
    return Impossible(
        std::string(which) +
        ": three tries do not fit before the renew "
        "deadline: interval " +
        Text(interval) + " + 3 x (try " + Text(std::max(limit, kShortestTry)) +
        " + spacing " + Text(spacing) + ") = " +
        Text(interval + TriesTake(std::max(limit, kShortestTry), spacing)) +
        ", found a renew deadline of " + Text(t.renew_deadline) +
        "; raise it or lower the renew interval");
  }
  return {};
}

}  // namespace

Duration ValidFor(const LeaseTimes& times) {
  const seconds full(times.lease_duration_seconds);
  if (!times.foreign_contenders) return Stretched(full, -times.drift_ppm);
  const Duration cut = Stretched(full - seconds(1), -times.drift_ppm);
  return Duration(cut.count() / (kMillion + times.drift_ppm) * kMillion);
}

Duration TakeOverWait(std::int32_t seconds_good, std::int32_t drift_ppm) {
  if (CANARY(kIgnoresDrift)) return seconds(seconds_good);
  return Stretched(seconds(seconds_good), drift_ppm);
}

Result<LeaseTimes> EffectiveTimes(LeaseTimes t) {
  if (Result<void> ok = CheckRanges(t); !ok) {
    return std::unexpected(ok.error());
  }
  if (Result<void> ok = CheckDeadline(t); !ok) {
    return std::unexpected(ok.error());
  }
  if (t.min_renew_interval == Duration{0}) {
    t.min_renew_interval = std::max(t.renew_interval / 2, kShortestInterval);
  }
  const Duration spacing = SpacingFor(t.renew_interval);
  if (t.max_try_limit == Duration{0}) {
    t.max_try_limit =
        std::min((t.renew_deadline - t.min_renew_interval) / kTries - spacing,
                 Duration(kLongestTry));
  }
  if (t.min_try_limit == Duration{0}) {
    t.min_try_limit =
        std::min(t.max_try_limit / 2,
                 (t.renew_deadline - t.renew_interval) / kTries - spacing);
  }
  if (t.min_try_limit > t.max_try_limit) {
    return Impossible("min try limit: expected at most the max try limit " +
                      Text(t.max_try_limit) + ", found " +
                      Text(t.min_try_limit));
  }
  Result<void> fits =
      CheckTries(t, t.renew_interval, t.min_try_limit, "renew interval");
  if (fits) {
    fits =
        CheckTries(t, t.min_renew_interval, t.max_try_limit, "max try limit");
  }
  if (!fits) return std::unexpected(fits.error());
  return t;
}

Result<LeaseTimes> TimesForRideOut(Duration ride_out, Duration stop_budget,
                                   Duration renew_interval,
                                   std::int32_t drift_ppm) {
  if (ride_out < Duration{0} || ride_out > std::chrono::hours(24) ||
      stop_budget < Duration{0} || stop_budget > std::chrono::hours(24)) {
    return Impossible("ride out and stop budget: expected 0s to 24h, found " +
                      Text(ride_out) + " and " + Text(stop_budget));
  }
  LeaseTimes t;
  t.renew_interval = renew_interval;
  t.drift_ppm = drift_ppm;
  t.max_try_limit = std::clamp(renew_interval, Duration(milliseconds(250)),
                               Duration(milliseconds(2500)));
  const Duration spacing = SpacingFor(renew_interval);
  t.renew_deadline =
      std::max(ride_out + renew_interval + spacing + t.max_try_limit,
               renew_interval + TriesTake(t.max_try_limit, spacing));
  const Duration need = t.renew_deadline + stop_budget;
  t.lease_duration_seconds = 2;
  // Past the longest, which EffectiveTimes refuses: a shorter stop budget than
  // was asked for would be no answer.
  while (t.lease_duration_seconds <= kMaxDurationSeconds &&
         (ValidFor(t) < need || ValidFor(t) <= t.renew_deadline)) {
    ++t.lease_duration_seconds;
  }
  return EffectiveTimes(t);
}

Result<LeaseTimes> TimesForPreset(const std::string& name) {
  LeaseTimes t;
  if (name == "fast") {
    t.lease_duration_seconds = 3;
    t.renew_deadline = seconds(2);
    t.renew_interval = milliseconds(500);
  } else if (name == "patient") {
    t.lease_duration_seconds = 137;
    t.renew_deadline = seconds(107);
    t.renew_interval = seconds(26);
  } else if (name != "default") {
    return Impossible("preset: expected fast, default or patient, found \"" +
                      name + "\"");
  }
  return EffectiveTimes(t);
}

void RenewalSchedule::Samples::Add(Duration sample) {
  const Duration left = std::exchange(ring_[next_], sample);
  const bool full = count_ == kWindow;
  next_ = (next_ + 1) % kWindow;
  count_ = std::min(count_ + 1, kWindow);
  if (!full || left < second_) return Rank(sample);
  // One of the two longest left: who follows is looked up.
  longest_ = second_ = Duration{0};
  for (const Duration one : ring_) Rank(one);
}

void RenewalSchedule::Samples::Rank(Duration sample) {
  if (sample > longest_) {
    second_ = std::exchange(longest_, sample);
  } else {
    second_ = std::max(second_, sample);
  }
}

RenewalSchedule::RenewalSchedule(const LeaseTimes& times,
                                 std::uint64_t jitter_seed)
    : times_(times), jitter_(jitter_seed) {
  CHECK(times.min_renew_interval > Duration{0});
  CHECK(times.min_try_limit > Duration{0});
  Tune();
}

Duration RenewalSchedule::NextRenewal() {
  const Duration interval = Interval();
  return interval -
         interval * static_cast<std::int64_t>(jitter_.Below(1000)) / 10'000;
}

void RenewalSchedule::Tune() {
  try_limit_ = std::clamp(kPatience * round_trips_.P99(), times_.min_try_limit,
                          times_.max_try_limit);
  interval_ =
      std::clamp(times_.renew_deadline - TriesTake(try_limit_, Spacing()),
                 times_.min_renew_interval, times_.renew_interval);
}

Duration RenewalSchedule::Spacing() const {
  return SpacingFor(times_.renew_interval);
}

Duration RenewalSchedule::RoundTripP99() const { return round_trips_.P99(); }

Duration RenewalSchedule::RoundTripLast() const { return last_; }

Duration RenewalSchedule::PauseP99() const { return pauses_.P99(); }

Duration RenewalSchedule::Margin() const {
  return seconds(times_.lease_duration_seconds) - Interval() - PauseP99() -
         RoundTripP99();
}

void RenewalSchedule::AddRoundTrip(Duration round_trip) {
  last_ = round_trip;
  round_trips_.Add(std::min(round_trip, Duration(std::chrono::hours(1))));
  Tune();
}

void RenewalSchedule::AddTimeout(Duration limit) {
  round_trips_.Add(limit);
  Tune();
}

void RenewalSchedule::AddPause(Duration late) {
  pauses_.Add(std::min(late, Duration(std::chrono::hours(1))));
}

std::string RenewalSchedule::Explain() const {
  const Duration valid = ValidFor(times_);
  const Duration longest = TriesTake(times_.max_try_limit, Spacing());
  std::string text;
  text += "renew_at    = sent + " + Text(times_.renew_interval) +
          ", tuned down to " + Text(times_.min_renew_interval) +
          " when answers are slow\n";
  text += "renew_by    = sent + " + Text(times_.renew_deadline) +
          ": uncertain from here; room for 3 x (try up to " +
          Text(times_.max_try_limit) + " + spacing " + Text(Spacing()) +
          ") = " + Text(longest) + "\n";
  text += "valid_until = sent + " + Text(valid) + " = lease duration " +
          std::to_string(times_.lease_duration_seconds) + "s";
  text += times_.foreign_contenders ? " less 1s and the drift of both clocks "
                                    : " less the drift of ";
  text += Percent(times_.drift_ppm) + "\n";
  text += "stop budget = " + Text(valid - times_.renew_deadline) +
          ": what guarded work has to die in\n";
  text += "take over   = " +
          Text(TakeOverWait(times_.lease_duration_seconds, times_.drift_ppm)) +
          " after the last change that a contender received\n";
  text += "margin      = " + std::to_string(times_.lease_duration_seconds) +
          "s - interval " + Text(Interval()) + " - p99 pause " +
          Text(PauseP99()) + " - p99 round trip " + Text(RoundTripP99()) +
          " = " + Text(Margin()) + "\n";
  return text;
}

}  // namespace tenure
