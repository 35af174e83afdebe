#include "sidecar/config/host_facts.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "sidecar/config/load_settings.h"

namespace tenure {
namespace {

std::string Find(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

}  // namespace

HostFacts ReadHostFacts(const Environment& environment) {
  HostFacts facts;
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0) facts.hostname = name;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::getline(boot, facts.boot_id);
  facts.root = geteuid() == 0;
  facts.in_pod = !Find(environment, "KUBERNETES_SERVICE_HOST").empty();
  const std::string pod_ip = Find(environment, "POD_IP");
  facts.host_network =
      !pod_ip.empty() && pod_ip == Find(environment, "HOST_IP");
  facts.runtime_directory = Find(environment, "XDG_RUNTIME_DIR");
  return facts;
}

}  // namespace tenure
