// Judge: what a drill has shown, from what was seen and nothing else.
//
// Thread safety: values and pure functions.
#ifndef TENURE_DRILL_VERDICT_H_
#define TENURE_DRILL_VERDICT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/drill/event.h"

namespace tenure {

enum class DrillOutcome {
  kPassed,   // the store refused the stale write by its generation
  kFailed,   // a stale write was accepted or applied, or two held at once
  kNothing,  // neither was shown
  kSkipped,  // it could not be run here
};

const char* DrillOutcomeName(DrillOutcome outcome);

struct Verdict {
  DrillOutcome outcome = DrillOutcome::kNothing;
  std::string why;  // one line
  std::string stale_who;
  std::int64_t stale_generation = 0;
  std::int64_t token = 0;  // what the store knew then
};

// `stale_id` names the write that must be refused; "": the drill did not come
// so far, and `trouble` says why.
Verdict Judge(const std::vector<DrillEvent>& events,
              const std::string& stale_id, const std::string& trouble);

// What a sidecar answered over a while.
struct Band {
  enum class Kind { kHeld, kUncertain, kStandby, kFrozen };
  std::string who;
  Kind kind = Kind::kStandby;
  std::int64_t generation = 0;
  Duration from{0};
  // Until when it surely was so, and when it surely was not any more.
  Duration to{0};
  Duration ended{0};
};

// `end` closes those that are open.
std::vector<Band> Bands(const std::vector<DrillEvent>& events, Duration end);

// Of all drills of one call: 0 if all passed; 1 if one failed, else 2 if one
// has shown nothing, else 3 if one was skipped.
int DrillExitCode(std::span<const Verdict> verdicts);

}  // namespace tenure

#endif  // TENURE_DRILL_VERDICT_H_
