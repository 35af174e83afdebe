// What the machine and the pod say about this process.
//
// Thread safety: pure, but for ReadHostFacts.
#ifndef TENURE_CONFIG_HOST_FACTS_H_
#define TENURE_CONFIG_HOST_FACTS_H_

#include <string>

#include "sidecar/config/load_settings.h"

namespace tenure {

enum class HostNetwork { kNo, kYes, kUnknown };

struct HostFacts {
  std::string hostname;
  std::string boot_id;
  bool root = false;
  bool in_pod = false;  // KUBERNETES_SERVICE_HOST is set
  // Whether POD_IP is HOST_IP; unknown where either is missing or no address.
  HostNetwork host_network = HostNetwork::kUnknown;
  std::string runtime_directory;  // XDG_RUNTIME_DIR
};

HostFacts ReadHostFacts(const Environment& environment);

}  // namespace tenure

#endif  // TENURE_CONFIG_HOST_FACTS_H_
