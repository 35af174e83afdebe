// A plan for programs: JSON, durations in milliseconds.
//
// Thread safety: pure function.
#ifndef TENURE_PLANNING_PLAN_DOCUMENT_H_
#define TENURE_PLANNING_PLAN_DOCUMENT_H_

#include <string>

#include "sidecar/planning/lease_plan.h"

namespace tenure {

std::string PlanJson(const LeasePlan& plan);

}  // namespace tenure

#endif  // TENURE_PLANNING_PLAN_DOCUMENT_H_
