// The safety rules that the exhaustive ring puts to the test, and how often it
// did; see docs/safety.md.
#ifndef TENURE_TESTS_EXHAUSTIVE_RULES_H_
#define TENURE_TESTS_EXHAUSTIVE_RULES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenure::exhaustive {

enum class Rule : std::uint8_t {
  kNeverTwoHeld,
  kCountedFromSending,
  kGrantedByAnAppliedWrite,
  kWritesAreIdentified,
  kOnlyACreateCreates,
  kMarksAreFresh,
  kTheUnknownIsReadFirst,
  kTheUnknownIsNoCertainty,
  kRenewalsAreOfTheRunningTerm,
  kLateAnswersAreDropped,
  kGenerationsRise,
  kHolderWritesAreWhole,
  kNamesAreComparedWhole,
  kTakenWhenTheClaimIsOver,
  kReleaseEndsTheTerm,
  kNothingFollowsARelease,
  kOthersFieldsAreKept,
  kTheLiveContend,
  kSomebodyHoldsInTheEnd,
  kOneRequestInFlight,
};
inline constexpr std::size_t kRules =
    static_cast<std::size_t>(Rule::kOneRequestInFlight) + 1;

inline constexpr std::array<const char*, kRules> kRuleNames = {
    "S1  never two are told held",
    "S2  a claim counts from before sending",
    "S3  a term comes from an applied write of ours",
    "S4  writes are identified",
    "S4  only a create creates",
    "S5  marks are fresh",
    "S5  nothing is written before an unknown write is read",
    "S5  an unknown acquisition is no certainty",
    "S6  renewals are of the running term",
    "S6  late answers change nothing",
    "S7  generations rise",
    "S7  holder writes restate holder, D, generation",
    "S8  names are compared whole",
    "S9  taken only when the last claim is over",
    "S10 a release ends the term, after the work",
    "S10 nothing of a term follows its release",
    "S11 others' fields are kept",
    "S12 the live have something to do",
    "S12 somebody holds in the end",
    "S13 one request in flight",
};

class RuleCounts {
 public:
  void Add(Rule rule) { ++times_[static_cast<std::size_t>(rule)]; }
  void Add(const RuleCounts& other) {
    for (std::size_t i = 0; i < kRules; ++i) times_[i] += other.times_[i];
  }
  std::int64_t operator[](std::size_t rule) const { return times_[rule]; }

 private:
  std::array<std::int64_t, kRules> times_{};
};

}  // namespace tenure::exhaustive

#endif  // TENURE_TESTS_EXHAUSTIVE_RULES_H_
