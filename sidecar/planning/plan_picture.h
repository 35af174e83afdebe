// A plan as a picture: when the answer is held, uncertain and standby after a
// last renewal, when another may take over, and what must fit before that.
//
// Thread safety: pure functions.
// Invariants: well-formed XML; nothing is loaded from elsewhere.
#ifndef TENURE_PLANNING_PLAN_PICTURE_H_
#define TENURE_PLANNING_PLAN_PICTURE_H_

#include <string>

#include "sidecar/planning/lease_plan.h"

namespace tenure {

std::string PlanSvg(const LeasePlan& plan);

// One page around the picture, with the lines of PlanText.
std::string PlanHtml(const LeasePlan& plan);

}  // namespace tenure

#endif  // TENURE_PLANNING_PLAN_PICTURE_H_
