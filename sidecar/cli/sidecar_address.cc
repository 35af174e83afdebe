#include "sidecar/cli/sidecar_address.h"

#include <cstdint>
#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/cli/default_sockets.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/config/lease_name.h"

namespace tenure {

std::vector<FlagSpec> AddressFlags() {
  return {
      {"lease", 'l', "NAME", "Which lease, of a sidecar with several.",
       "the only one"},
      {"socket", 0, "PATH", "The sidecar's status socket; also TENURE_SOCKET.",
       "where a sidecar started here would have it"},
      {"port", 0, "PORT", "Ask over TCP on 127.0.0.1 instead.", "the socket"},
  };
}

Result<LocalAddress> AskedAddress(const ParsedFlags& flags,
                                  const Environment& environment) {
  LocalAddress address;
  address.flag = "--socket";
  if (flags.given.contains("port")) {
    address.flag = "--port";
    const Result<std::uint16_t> port = FlagPort(flags, "port", 0);
    if (!port) return std::unexpected(port.error());
    address.port = *port;
    return address;
  }
  if (flags.given.contains("socket")) {
    address.socket = FlagValue(flags, "socket", "");
    return address;
  }
  const Result<std::string> socket = DefaultStatusSocket(environment);
  if (!socket) return std::unexpected(socket.error());
  address.socket = *socket;
  return address;
}

Result<std::string> AskedTarget(const ParsedFlags& flags,
                                const std::string& route) {
  const std::string lease = FlagValue(flags, "lease", "");
  if (lease.empty()) return route;
  if (const Result<void> ok = CheckLeaseName(lease); !ok) {
    return std::unexpected(ok.error());
  }
  return route + "?lease=" + lease;
}

}  // namespace tenure
