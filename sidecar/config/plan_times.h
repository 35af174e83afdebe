// The times of a lease from preset, ride-out and what was set alone. For
// sidecar_plan.cc.
//
// Thread safety: pure function.
#ifndef TENURE_CONFIG_PLAN_TIMES_H_
#define TENURE_CONFIG_PLAN_TIMES_H_

#include <expected>

#include "sidecar/authority/authority_options.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/settings.h"

namespace tenure {

// `preset_given`: the preset was chosen, not defaulted to. Impossible sets are
// refused with the arithmetic.
std::expected<LeaseTimes, Problems> PlanTimes(const Settings& settings,
                                              bool preset_given);

}  // namespace tenure

#endif  // TENURE_CONFIG_PLAN_TIMES_H_
