#include "sidecar/config/host_facts.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>
#include <string>

#include "sidecar/config/load_settings.h"

namespace tenure {
namespace {

using Address = std::array<unsigned char, 16>;

// One address can be written in many ways: compared as bytes, an IPv4 one as it
// is mapped into IPv6.
std::optional<Address> ReadAddress(const std::string& text) {
  Address address{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
  if (inet_pton(AF_INET, text.c_str(), address.data() + 12) != 1) {
    return std::nullopt;
  }
  address[10] = address[11] = 0xff;
  return address;
}

}  // namespace

HostFacts ReadHostFacts(const Environment& environment) {
  HostFacts facts;
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0) facts.hostname = name;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::getline(boot, facts.boot_id);
  facts.root = geteuid() == 0;
  facts.in_pod = !Variable(environment, "KUBERNETES_SERVICE_HOST").empty();
  const auto pod = ReadAddress(Variable(environment, "POD_IP"));
  const auto node = ReadAddress(Variable(environment, "HOST_IP"));
  if (pod && node) {
    facts.host_network = *pod == *node ? HostNetwork::kYes : HostNetwork::kNo;
  }
  facts.runtime_directory = Variable(environment, "XDG_RUNTIME_DIR");
  return facts;
}

}  // namespace tenure
