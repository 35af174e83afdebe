// SidecarPlan: the settings of one sidecar, checked together and completed.
//
// Thread safety: values and pure functions.
#ifndef TENURE_CONFIG_SIDECAR_PLAN_H_
#define TENURE_CONFIG_SIDECAR_PLAN_H_

#include <expected>
#include <map>
#include <string>
#include <vector>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/lease_set.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/host_facts.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/settings.h"

namespace tenure {

struct SidecarPlan {
  // As given, with every derived value filled in: --print-config shows it.
  Settings settings;
  // Where each value came from, by flag; "default" and derived ones included.
  std::map<std::string, std::string> origins;
  // Those of the settings, and what was assumed: worth a line to the operator.
  std::vector<std::string> notes;

  std::vector<std::string> leases;  // sorted
  LeaseSetPolicy policy = LeaseSetPolicy::kAll;
  // Paths; empty: switched off.
  std::string status_socket;
  std::string control_socket;
  // Of every lease; `identity` and `jitter_seed` are for each process to fill.
  AuthorityOptions authority;
};

// Everything that is wrong, one line each, with what was wrong in `loaded`
// first; nothing follows from a setting that was refused there.
std::expected<SidecarPlan, Problems> MakePlan(const LoadedSettings& loaded,
                                              const HostFacts& host);

// S8: "<pod>_<pod uid>_<random per process>".
std::string MakeIdentity(const Settings& settings, const Entropy& entropy);

}  // namespace tenure

#endif  // TENURE_CONFIG_SIDECAR_PLAN_H_
