// Which sidecar is asked, and about which lease: the flags of every verb that
// reads a status socket.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_SIDECAR_ADDRESS_H_
#define TENURE_CLI_SIDECAR_ADDRESS_H_

#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/load_settings.h"

namespace tenure {

// --lease, --socket and --port.
std::vector<FlagSpec> AddressFlags();

// Errors: kInvalidArgument, also if there is no usual place for a socket.
Result<LocalAddress> AskedAddress(const ParsedFlags& flags,
                                  const Environment& environment);

// `route`, with ?lease= where one was named.
Result<std::string> AskedTarget(const ParsedFlags& flags,
                                const std::string& route);

}  // namespace tenure

#endif  // TENURE_CLI_SIDECAR_ADDRESS_H_
