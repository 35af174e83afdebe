// RenewalSchedule: the arithmetic of one lease's times, tuned to what was
// measured, and able to explain itself. No decisions: lease_authority.cc has
// those.
//
// The renew interval and the per-try limit follow the measured p99 round trip
// inside their bounds: slower answers get more patience for each try, and an
// earlier start, so that three tries still fit before renew_by.
//
// Thread safety: one thread at a time.
// Invariants: min_interval <= Interval() <= P; min_try <= TryLimit() <=
// max_try; Interval() + 3 x (TryLimit() + Spacing()) <= R whenever the bounds
// allow it, and they always do (EffectiveTimes refuses sets where they do not).
#ifndef TENURE_AUTHORITY_RENEWAL_SCHEDULE_H_
#define TENURE_AUTHORITY_RENEWAL_SCHEDULE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/base/prng.h"

namespace tenure {

// Fills in the derived bounds and refuses impossible sets, with the arithmetic
// in the message (kInvalidArgument).
Result<LeaseTimes> EffectiveTimes(LeaseTimes times);

// The one knob for people (design, "Time"): the API outage to survive while
// held, and the time guarded work needs to die.
// R = ride_out + P + spacing + try limit, D = R + stop_budget + drift, rounded
// up to whole seconds.
Result<LeaseTimes> TimesForRideOut(Duration ride_out, Duration stop_budget,
                                   Duration renew_interval,
                                   std::int32_t drift_ppm);

// "fast" 3/2/0.5, "default" 15/10/2, "patient" 137/107/26.
Result<LeaseTimes> TimesForPreset(const std::string& name);

// valid_until - sent: D(1-rho), or (D-1s)(1-rho)/(1+rho) beside foreign
// contenders.
Duration ValidFor(const LeaseTimes& times);

// How long a contender lets a record stand still that may be good for
// `seconds`: seconds x (1+rho) (S9).
Duration TakeOverWait(std::int32_t seconds, std::int32_t drift_ppm);

class RenewalSchedule {
 public:
  // REQUIRES: times came from EffectiveTimes.
  RenewalSchedule(const LeaseTimes& times, std::uint64_t jitter_seed);

  // After `sent`: when to start the next renewal. Jittered down by up to a
  // tenth, so that sidecars started together drift apart; never above P.
  Duration NextRenewal();

  // As tuned now; the interval without jitter.
  Duration Interval() const { return interval_; }
  Duration TryLimit() const { return try_limit_; }
  Duration Spacing() const;        // between a failed try and the next
  Duration RoundTripP99() const;   // 0 before the first sample
  Duration RoundTripLast() const;  // of the last answered request
  Duration PauseP99() const;
  // D - P - p99 pause - p99 round trip: what is left for trouble.
  Duration Margin() const;

  void AddRoundTrip(Duration round_trip);
  // A try was given up at `limit`: its round trip is at least that.
  void AddTimeout(Duration limit);
  // How late the loop woke for a deadline of ours.
  void AddPause(Duration late);

  // Lines for a person: the effective times and the margin arithmetic.
  std::string Explain() const;

  const LeaseTimes& times() const { return times_; }

 private:
  friend class AuthorityDigest;  // tests/exhaustive

  static constexpr std::size_t kWindow = 128;  // samples remembered

  // The last kWindow samples and their nearest-rank p99: of so few that is the
  // longest or, from 100 on, the second longest.
  class Samples {
   public:
    // REQUIRES: sample >= 0.
    void Add(Duration sample);
    Duration P99() const { return count_ >= 100 ? second_ : longest_; }

   private:
    void Rank(Duration sample);

    std::array<Duration, kWindow> ring_{};
    std::size_t count_ = 0;
    std::size_t next_ = 0;
    Duration longest_{0};
    Duration second_{0};
  };

  void Tune();

  LeaseTimes times_;
  Prng jitter_;
  Samples round_trips_;
  Samples pauses_;
  Duration last_{0};
  Duration try_limit_{0};
  Duration interval_{0};
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_RENEWAL_SCHEDULE_H_
