// The table of settings as text: help, effective configuration, reference.
//
// Thread safety: pure functions.
#ifndef TENURE_CONFIG_SETTINGS_TEXT_H_
#define TENURE_CONFIG_SETTINGS_TEXT_H_

#include <string>
#include <vector>

#include "sidecar/config/flag_group.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/sidecar_plan.h"

namespace tenure {

// One paragraph for each flag, wrapped to 80 columns.
std::string FlagsHelp(const std::vector<FlagSpec>& flags);

// The flags of the settings, as their headings part them.
std::vector<FlagGroup> SettingGroups();

// Each group under its heading.
std::string GroupsHelp(const std::vector<FlagGroup>& groups);

// A configuration file that gives the same sidecar, with where each value came
// from as a comment.
std::string EffectiveConfig(const SidecarPlan& plan);

// docs/configuration.md, whole.
std::string ConfigurationReference();

}  // namespace tenure

#endif  // TENURE_CONFIG_SETTINGS_TEXT_H_
