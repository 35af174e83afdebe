#include "sidecar/config/load_settings.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/config_file.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/lease_name.h"
#include "sidecar/config/setting_table.h"
#include "sidecar/config/unknown_variables.h"

namespace tenure {
namespace {

constexpr std::string_view kLeaseFlag = "lease";
constexpr char kConfigFlag[] = "config";
constexpr char kConfigVariable[] = "TENURE_CONFIG";

// Kubernetes sets <SERVICE>_PORT=tcp://... for every Service of the namespace:
// a Service "tenure-status" would otherwise set our status port.
bool IsServiceLink(const std::string& value) {
  return value.starts_with("tcp://") || value.starts_with("udp://") ||
         value.starts_with("sctp://");
}

GivenValues FromEnvironment(const Environment& environment) {
  GivenValues given;
  for (const SettingSpec& spec : SettingTable()) {
    const std::string name = EnvironmentVariable(spec.flag);
    const std::string value = Variable(environment, name);
    if (value.empty() || IsServiceLink(value)) continue;
    given[spec.flag] = GivenValue{{value}, name};
  }
  return given;
}

GivenValues FromPlatform(const Environment& environment) {
  GivenValues given;
  for (const SettingSpec& spec : SettingTable()) {
    const std::string value = Variable(environment, spec.platform_variable);
    if (value.empty()) continue;
    given[spec.flag] = GivenValue{{value}, spec.platform_variable};
  }
  return given;
}

GivenValues FromFlags(const ParsedFlags& flags) {
  GivenValues given;
  for (const SettingSpec& spec : SettingTable()) {
    const auto found = flags.given.find(spec.flag);
    if (found == flags.given.end()) continue;
    std::vector<std::string> texts = found->second;
    // The last one wins, as with kubectl; a list takes them all.
    if (!IsList(spec)) texts = {texts.back()};
    given[spec.flag] =
        GivenValue{std::move(texts), "--" + std::string(spec.flag)};
  }
  return given;
}

// Of the leases that one place names, each that no Kubernetes takes: here and
// not in MakePlan, which sees only those of the place that wins.
bool NamesAllowed(const std::string& origin, LoadedSettings* loaded) {
  bool allowed = true;
  for (const std::string& name : loaded->settings.lease) {
    const Result<void> ok = CheckLeaseName(name);
    if (ok) continue;
    loaded->problems.push_back(origin + ": " + ok.error().message);
    allowed = false;
  }
  return allowed;
}

void Apply(const GivenValues& given, LoadedSettings* loaded) {
  for (const SettingSpec& spec : SettingTable()) {
    const auto found = given.find(spec.flag);
    if (found == given.end()) continue;
    const GivenValue& value = found->second;
    if (Result<void> ok = ApplySetting(spec, value.texts, &loaded->settings);
        !ok) {
      loaded->problems.push_back(value.origin + ": " + ok.error().message);
      loaded->refused.insert(spec.flag);
      continue;
    }
    if (spec.flag == kLeaseFlag && !NamesAllowed(value.origin, loaded)) {
      loaded->settings.lease.clear();
      loaded->refused.insert(spec.flag);
      continue;
    }
    loaded->origins[spec.flag] = value.origin;
  }
}

}  // namespace

std::string Variable(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::vector<FlagSpec> SettingFlags() {
  std::vector<FlagSpec> flags;
  for (const SettingSpec& spec : SettingTable()) {
    flags.push_back(FlagSpec{spec.flag, spec.short_flag, spec.value, spec.help,
                             spec.fallback, spec.choices});
  }
  flags.push_back(FlagSpec{kConfigFlag, 0, "FILE",
                           "Settings from a YAML file; also TENURE_CONFIG.",
                           "none"});
  return flags;
}

LoadedSettings LoadSettings(const ParsedFlags& flags,
                            const Environment& environment) {
  LoadedSettings loaded;
  std::string path = Variable(environment, kConfigVariable);
  if (const auto found = flags.given.find(kConfigFlag);
      found != flags.given.end()) {
    path = found->second.back();
  }
  Apply(FromPlatform(environment), &loaded);
  if (!path.empty()) {
    Apply(ReadConfigFile(path, &loaded.problems), &loaded);
  }
  // A file that is not understood may have named it.
  const bool unsure = !loaded.problems.empty();
  Apply(FromEnvironment(environment), &loaded);
  Apply(FromFlags(flags), &loaded);
  if (unsure && !loaded.origins.contains("lease")) {
    loaded.refused.insert("lease");
  }
  loaded.notes = UnknownVariables(environment);
  return loaded;
}

}  // namespace tenure
