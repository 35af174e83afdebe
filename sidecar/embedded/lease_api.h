// LeaseApi: one request in, one answer out, or a watch to serve. Everything
// this server knows, without a socket, a thread or a clock.
//
// Thread safety: one thread.
#ifndef TENURE_EMBEDDED_LEASE_API_H_
#define TENURE_EMBEDDED_LEASE_API_H_

#include <cstdint>
#include <optional>
#include <variant>

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/watch_feed.h"

namespace tenure::embedded {

class LeaseApi {
 public:
  using Answer = std::variant<ApiResponse, WatchFeed>;

  explicit LeaseApi(const LeaseTableLimits& limits = {}) : table_(limits) {}

  LeaseTable& table() { return table_; }

  // Never throws; what it cannot do it answers with a Status. `stale_at`: see
  // lease_reads.h.
  Answer Handle(const ApiRequest& request, const ApiRoute& route,
                const RequestContext& context,
                std::optional<std::uint64_t> stale_at = std::nullopt);

 private:
  Answer Dispatch(const ApiRequest& request, const ApiRoute& route,
                  const RequestContext& context,
                  std::optional<std::uint64_t> stale_at);

  LeaseTable table_;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_API_H_
