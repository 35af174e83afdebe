// Variables that begin with TENURE_ and mean nothing: a misspelt setting would
// otherwise stand at its default, and nobody would know.
//
// Thread safety: pure function.
#ifndef TENURE_CONFIG_UNKNOWN_VARIABLES_H_
#define TENURE_CONFIG_UNKNOWN_VARIABLES_H_

#include <string>
#include <vector>

#include "sidecar/config/load_settings.h"

namespace tenure {

// A line for each, without its value, and with the nearest name where one is
// near. Not those that are empty, that `tenure exec` sets for its command, or
// that Kubernetes sets for a Service named tenure-something.
std::vector<std::string> UnknownVariables(const Environment& environment);

}  // namespace tenure

#endif  // TENURE_CONFIG_UNKNOWN_VARIABLES_H_
