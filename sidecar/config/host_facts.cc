#include "sidecar/config/host_facts.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "sidecar/config/load_settings.h"

namespace tenure {
HostFacts ReadHostFacts(const Environment& environment) {
  HostFacts facts;
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0) facts.hostname = name;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::getline(boot, facts.boot_id);
  facts.root = geteuid() == 0;
  facts.in_pod = !Variable(environment, "KUBERNETES_SERVICE_HOST").empty();
  const std::string pod_ip = Variable(environment, "POD_IP");
  facts.host_network =
      !pod_ip.empty() && pod_ip == Variable(environment, "HOST_IP");
  facts.runtime_directory = Variable(environment, "XDG_RUNTIME_DIR");
  return facts;
}

}  // namespace tenure
