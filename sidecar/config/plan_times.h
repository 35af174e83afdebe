// The times of a lease from preset, ride-out and what was set alone. For
// sidecar_plan.cc.
//
// Thread safety: pure function.
#ifndef TENURE_CONFIG_PLAN_TIMES_H_
#define TENURE_CONFIG_PLAN_TIMES_H_

#include <expected>
#include <map>
#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/settings.h"

namespace tenure {

// The settings it reads.
inline constexpr const char* kTimeFlags[] = {"preset",
                                             "ride-out",
                                             "stop-budget",
                                             "lease-duration",
                                             "renew-deadline",
                                             "renew-interval",
                                             "min-renew-interval",
                                             "drift-allowance",
                                             "foreign-contenders"};

// `origins`: where each setting that was given came from, by flag. Impossible
// sets are refused with the arithmetic and those places.
std::expected<LeaseTimes, Problems> PlanTimes(
    const Settings& settings,
    const std::map<std::string, std::string>& origins);

}  // namespace tenure

#endif  // TENURE_CONFIG_PLAN_TIMES_H_
