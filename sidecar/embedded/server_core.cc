#include "sidecar/embedded/server_core.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/clock/system_clock.h"
#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/fault_plan.h"
#include "sidecar/embedded/lease_json.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/selectors.h"

namespace tenure::embedded {
namespace {

// The one Lease a request is about, also where the URL does not name it.
std::string NameOf(const ApiRequest& request, const ApiRoute& route) {
  if (!route.name.empty()) return route.name;
  if (route.verb == Verb::kCreate) {
    const auto body = DecodeLease(request.body);
    return body ? body->lease.metadata.name : "";
  }
  const auto selectors = Selectors::Parse(route.query.Get("fieldSelector"), "");
  return selectors ? selectors->ExactName() : "";
}

ApiResponse FaultsAreOff() {
  return {404,
          "text/plain; charset=utf-8",
          "404 page not found: /faults is served by `tenure dev --faults` "
          "alone\n",
          {},
          {}};
}

}  // namespace

ServerCore::ServerCore(const ServerLimits& limits, bool faults)
    : limits_(limits), faults_(faults), api_(limits.table) {
  api_.table().SetListener([this](const LeaseChange& change) {
    // A sink may end and remove itself while it is told.
    for (auto it = watches_.begin(); it != watches_.end();) {
      (*it++)->OnChange(change);
    }
  });
}

std::optional<Fault> ServerCore::TakeFault(const ApiRequest& request,
                                           const ApiRoute& route) {
  if (plan_.empty() || route.verb == Verb::kNotAllowed ||
      (route.resource != Resource::kLease &&
       route.resource != Resource::kLeases)) {
    return std::nullopt;
  }
  return plan_.Take(
      {VerbName(route.verb), route.name_space, NameOf(request, route)});
}

LeaseApi::Answer ServerCore::Handle(const ApiRequest& request,
                                    const ApiRoute& route,
                                    const std::optional<Fault>& fault) {
  if (route.resource == Resource::kFaults && faults_) {
    ApiResponse response = plan_.Handle(request);
    for (auto it = watches_.begin(); it != watches_.end();) (*it++)->OnThaw();
    return response;
  }
  if (route.resource == Resource::kFaults) return FaultsAreOff();
  std::optional<std::uint64_t> stale_at;
  if (fault && fault->action == FaultAction::kStale) {
    const std::uint64_t version = table().resource_version();
    stale_at =
        route.verb == Verb::kGet
            ? table().Rewind({route.name_space, route.name}, fault->steps)
            : version - std::min<std::uint64_t>(version - table().compacted(),
                                                fault->steps);
  }
  const RequestContext context{ReadClocks().wall, ReadEntropy()};
  return api_.Handle(request, route, context, stale_at);
}

ServerCore::SinkHandle ServerCore::AddWatch(WatchSink* sink) {
  return watches_.insert(watches_.end(), sink);
}

}  // namespace tenure::embedded
