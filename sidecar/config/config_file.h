// The YAML configuration file.
//
//   apiVersion: tenure.dev/v1alpha1
//   kind: SidecarConfig
//   lease: [billing]
//   leaseDuration: 15s
//
// Thread safety: pure functions, but for reading the file.
#ifndef TENURE_CONFIG_CONFIG_FILE_H_
#define TENURE_CONFIG_CONFIG_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "sidecar/config/given_value.h"

namespace tenure {

inline constexpr char kConfigApiVersion[] = "tenure.dev/v1alpha1";
inline constexpr char kConfigKind[] = "SidecarConfig";
inline constexpr std::size_t kMaxConfigFile = 1 << 20;
// Of one file; a last one says that there are more.
inline constexpr std::size_t kMaxConfigProblems = 100;

// Every known key of `text`; what is wrong goes to `problems` as
// "<name>:<line>:<column> <key>: ...".
GivenValues ParseConfigFile(const std::string& name, std::string_view text,
                            Problems* problems);

// Reads `path` and parses it.
GivenValues ReadConfigFile(const std::string& path, Problems* problems);

}  // namespace tenure

#endif  // TENURE_CONFIG_CONFIG_FILE_H_
