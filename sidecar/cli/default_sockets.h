// Where a sidecar with no flags would have its sockets here.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_DEFAULT_SOCKETS_H_
#define TENURE_CLI_DEFAULT_SOCKETS_H_

#include <string>

#include "sidecar/base/error.h"
#include "sidecar/config/load_settings.h"

namespace tenure {

// TENURE_SOCKET or TENURE_STATUS_SOCKET, else the usual place. Errors:
// kInvalidArgument, if there is none.
Result<std::string> DefaultStatusSocket(const Environment& environment);

// TENURE_CONTROL_SOCKET, else the usual place.
Result<std::string> DefaultControlSocket(const Environment& environment);

}  // namespace tenure

#endif  // TENURE_CLI_DEFAULT_SOCKETS_H_
