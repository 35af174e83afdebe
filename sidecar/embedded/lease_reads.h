// get and list: pure functions of the table.
//
// Thread safety: the table's.
#ifndef TENURE_EMBEDDED_LEASE_READS_H_
#define TENURE_EMBEDDED_LEASE_READS_H_

#include <cstdint>
#include <optional>

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_views.h"

namespace tenure::embedded {

// `stale_at`: answer as of that older version, as a lagging replica would. Only
// faults ask for it.
ApiResult<ApiResponse> GetLease(const LeaseTable& table, const ApiRoute& route,
                                const View& view, WallTime now,
                                std::optional<std::uint64_t> stale_at);

ApiResult<ApiResponse> ListLeases(const LeaseTable& table,
                                  const ApiRoute& route, const View& view,
                                  WallTime now,
                                  std::optional<std::uint64_t> stale_at);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_READS_H_
