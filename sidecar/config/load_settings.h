// From flags, environment and file to Settings: flag > environment > file >
// what the platform sets (POD_NAME, ...) > default.
//
// Thread safety: pure functions, but for reading the file.
#ifndef TENURE_CONFIG_LOAD_SETTINGS_H_
#define TENURE_CONFIG_LOAD_SETTINGS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sidecar/config/flag_parser.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/settings.h"

namespace tenure {

using Environment = std::map<std::string, std::string>;

// The value of a variable; empty if it is not set.
std::string Variable(const Environment& environment, const std::string& name);

struct LoadedSettings {
  Settings settings;
  // Where each given setting came from, by flag; absent: the default.
  std::map<std::string, std::string> origins;
  // Worth a line to the operator, but no reason to stop: TENURE_ variables
  // that are no setting. MakePlan reports them beside problems: a mistyped
  // name may be the cause.
  std::vector<std::string> notes;
  // What is wrong, one line each, and with which settings: those stand at their
  // defaults, and MakePlan reports these problems beside its own.
  Problems problems;
  std::set<std::string> refused;
};

// The flags of every setting, and --config.
std::vector<FlagSpec> SettingFlags();

// `flags` as ParseFlags gave them for SettingFlags(). An empty variable counts
// as not set. Every given value is checked, also one that another overrides.
LoadedSettings LoadSettings(const ParsedFlags& flags,
                            const Environment& environment);

}  // namespace tenure

#endif  // TENURE_CONFIG_LOAD_SETTINGS_H_
