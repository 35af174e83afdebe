// The factory behind EmbeddedServer::Open, with the limits as an argument so
// that tests can reach them.
//
// Thread safety: any thread.
#ifndef TENURE_EMBEDDED_BOUNDED_SERVER_H_
#define TENURE_EMBEDDED_BOUNDED_SERVER_H_

#include <memory>

#include "sidecar/base/error.h"
#include "sidecar/embedded/embedded_server.h"
#include "sidecar/embedded/server_core.h"

namespace tenure::embedded {

Result<std::unique_ptr<EmbeddedServer>> OpenBounded(
    const EmbeddedServerOptions& options, const ServerLimits& limits);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_BOUNDED_SERVER_H_
