#include "sidecar/config/unknown_variables.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/config/closest_name.h"
#include "sidecar/config/setting_table.h"

namespace tenure {
namespace {

constexpr std::string_view kPrefix = "TENURE_";
// Without the prefix: of the file, and of applications and children.
constexpr std::string_view kOthers[] = {
    "CONFIG",     "SOCKET", "CONTROL_SOCKET", "ADDRESS",
    "GENERATION", "HOLDER", "RUN_ID"};
// What builds and tests of this repository keep, for whoever exports it: no
// setting, and none to suggest.
constexpr std::string_view kOfTheBuild = "CACHE";
// One for each lease that a surrounding exec holds.
constexpr std::string_view kOfEachLease = "GENERATION_";

std::vector<std::string> KnownNames() {
  std::vector<std::string> names(std::begin(kOthers), std::end(kOthers));
  for (const SettingSpec& spec : SettingTable()) {
    names.push_back(EnvironmentVariable(spec.flag).substr(kPrefix.size()));
  }
  return names;
}

// <SERVICE>_SERVICE_HOST, _SERVICE_PORT and _SERVICE_PORT_NAME, _PORT and
// _PORT_443_TCP with what follows. A Service may be named tenure alone.
bool IsOfService(std::string_view name) {
  return name.ends_with("SERVICE_HOST") || name.ends_with("_PORT") ||
         name == "PORT" || name.starts_with("PORT_") ||
         name.find("SERVICE_PORT") != std::string_view::npos ||
         name.find("_PORT_") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> UnknownVariables(const Environment& environment) {
  const std::vector<std::string> known = KnownNames();
  std::vector<std::string> lines;
  for (const auto& [variable, value] : environment) {
    if (!variable.starts_with(kPrefix) || value.empty()) continue;
    const std::string name = variable.substr(kPrefix.size());
    if (std::ranges::find(known, name) != known.end() || name == kOfTheBuild ||
        name.starts_with(kOfEachLease) || IsOfService(name)) {
      continue;
    }
    const std::string meant = ClosestName(name, known);
    lines.push_back(variable.substr(0, 100) + " is not a setting" +
                    (meant.empty() ? ", and was ignored"
                                   : "; did you mean " + std::string(kPrefix) +
                                         meant + "?"));
  }
  return lines;
}

}  // namespace tenure
