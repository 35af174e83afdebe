// A plan as a person reads it, line by line.
//
// Thread safety: pure functions.
#ifndef TENURE_PLANNING_PLAN_TEXT_H_
#define TENURE_PLANNING_PLAN_TEXT_H_

#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/planning/lease_plan.h"

namespace tenure {

// What duration can and cannot do; every form of a plan ends with it.
inline constexpr char kFenceNote[] =
    "Duration trades recovery for false take-overs: a longer lease keeps the "
    "next holder waiting longer after a crash, a shorter one is taken from a "
    "live holder by a shorter pause or outage. No duration replaces the fence: "
    "attach the generation to every write, and let the store refuse a lower "
    "one.";

// The sum, what the lease survives, the flags, the note; at most 80 columns.
std::string PlanText(const LeasePlan& plan);

// One line: what the sum says.
std::string Verdict(const LeasePlan& plan);

// "--lease-duration 20s --renew-deadline 11.8s --renew-interval 3s", and what
// is not as by default.
std::string RunFlags(const LeaseTimes& times);

// "1 %"
std::string PercentText(std::int32_t ppm);

// `text` in lines of at most 80 columns, each after `indent` spaces.
std::string Paragraph(const std::string& text, std::size_t indent);

}  // namespace tenure

#endif  // TENURE_PLANNING_PLAN_TEXT_H_
