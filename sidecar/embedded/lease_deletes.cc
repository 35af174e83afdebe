#include "sidecar/embedded/lease_deletes.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/json_document.h"
#include "sidecar/embedded/lease_json.h"
#include "sidecar/embedded/lease_object.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_views.h"
#include "sidecar/embedded/request_options.h"

namespace tenure::embedded {
namespace {

using nlohmann::json;

struct DeleteOptions {
  bool dry_run = false;
  std::string uid;  // preconditions; empty: none
  std::string resource_version;
};

ApiStatus InvalidOptions(std::vector<StatusCause> causes) {
  return Invalid("meta.k8s.io", "DeleteOptions", "", std::move(causes));
}

std::string StringField(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// The policies are checked, and all mean the same here: no object can depend on
// a Lease of this server.
std::optional<StatusCause> CheckPolicy(const std::string& policy,
                                       bool orphan_given) {
  constexpr char kField[] = "propagationPolicy";
  if (policy.empty()) return std::nullopt;
  if (orphan_given) {
    return InvalidValue(
        kField, Quote(policy),
        "orphanDependents and deletionPropagation cannot be both set");
  }
  if (policy == "Foreground" || policy == "Background" || policy == "Orphan") {
    return std::nullopt;
  }
  return UnsupportedValue(kField, Quote(policy),
                          R"("Foreground", "Background", "Orphan", "nil")");
}

ApiResult<DeleteOptions> FromQuery(const Query& query) {
  const auto write = ParseWriteOptions(query, "DeleteOptions");
  if (!write) return std::unexpected(write.error());
  const auto policy = CheckPolicy(query.Get("propagationPolicy"),
                                  !query.Get("orphanDependents").empty());
  if (policy) return std::unexpected(InvalidOptions({*policy}));
  return DeleteOptions{write->dry_run, query.Get("uid"),
                       query.Get("resourceVersion")};
}

ApiResult<DeleteOptions> FromBody(const ApiRequest& request) {
  const std::string type =
      request.content_type.substr(0, request.content_type.find(';'));
  if (!type.empty() && type != "application/json") {
    return std::unexpected(UnsupportedBody());
  }
  const auto document = ParseJson(request.body, kMaxJsonDepth);
  if (!document || !document->root.is_object()) {
    return std::unexpected(
        BadRequest("couldn't get version/kind; json parse error: " +
                   (document ? "expected an object" : document.error())));
  }
  const json& root = document->root;
  const std::string kind = StringField(root, "kind");
  if (!kind.empty() && kind != "DeleteOptions") {
    return std::unexpected(BadRequest("no kind " + Quote(kind) +
                                      " is registered for version " +
                                      Quote(StringField(root, "apiVersion"))));
  }
  DeleteOptions out;
  std::vector<StatusCause> causes;
  if (const auto dry_run = root.find("dryRun");
      dry_run != root.end() && !dry_run->is_null()) {
    out.dry_run = true;
    if (*dry_run != json::array({"All"})) {
      causes.push_back(
          UnsupportedValue("dryRun", DumpJson(*dry_run), "\"All\""));
    }
  }
  const auto policy = CheckPolicy(StringField(root, "propagationPolicy"),
                                  root.contains("orphanDependents"));
  if (policy) causes.push_back(*policy);
  if (!causes.empty()) return std::unexpected(InvalidOptions(causes));
  if (const auto conditions = root.find("preconditions");
      conditions != root.end() && conditions->is_object()) {
    out.uid = StringField(*conditions, "uid");
    out.resource_version = StringField(*conditions, "resourceVersion");
  }
  return out;
}

ApiResult<DeleteOptions> ReadOptions(const ApiRequest& request,
                                     const ApiRoute& route) {
  return request.body.empty() ? FromQuery(route.query) : FromBody(request);
}

std::optional<ApiStatus> CheckPreconditions(const LeaseMetadata& metadata,
                                            const DeleteOptions& options) {
  if (!options.uid.empty() && options.uid != metadata.uid) {
    return Conflict(metadata.name, "Lease",
                    "the UID in the precondition (" + options.uid +
                        ") does not match the UID in record (" + metadata.uid +
                        "). The object might have been deleted and then "
                        "recreated");
  }
  if (!options.resource_version.empty() &&
      options.resource_version != metadata.resource_version) {
    return Conflict(metadata.name, "Lease",
                    "the ResourceVersion in the precondition (" +
                        options.resource_version +
                        ") does not match the ResourceVersion in record (" +
                        metadata.resource_version +
                        "). The object might have been modified");
  }
  return std::nullopt;
}

// Marks where finalizers hold it, else removes. Returns the Lease if it is
// still there.
LeaseVersion MarkOrRemove(LeaseTable& table, const LeaseVersion& lease,
                          WallTime now) {
  const LeaseMetadata& metadata = lease->lease.metadata;
  if (metadata.finalizers.empty()) {
    table.Remove({metadata.name_space, metadata.name});
    return nullptr;
  }
  if (metadata.deletion_timestamp) return lease;
  LeaseObject marked = lease->lease;
  marked.metadata.deletion_timestamp =
      WallTime{std::chrono::floor<std::chrono::seconds>(now.since_epoch)};
  marked.metadata.deletion_grace_period_seconds = 0;
  return table.Put(std::move(marked));
}

}  // namespace

ApiResult<ApiResponse> DeleteLease(LeaseTable& table, const ApiRequest& request,
                                   const ApiRoute& route, const View& view,
                                   WallTime now) {
  const auto options = ReadOptions(request, route);
  if (!options) return std::unexpected(options.error());
  const LeaseVersion lease = table.Find({route.name_space, route.name});
  if (lease == nullptr) return std::unexpected(NotFound(route.name));
  const LeaseMetadata& metadata = lease->lease.metadata;
  if (const auto conflict = CheckPreconditions(metadata, *options)) {
    return std::unexpected(*conflict);
  }
  ApiStatus done{
      200, "", "",
      StatusDetails{
          metadata.name, "coordination.k8s.io", "leases", metadata.uid, {}, 0}};
  if (options->dry_run) return ToResponse(done);
  const LeaseVersion left = MarkOrRemove(table, lease, now);
  if (left == nullptr) return ToResponse(done);
  ApiResponse response;
  response.body = RenderLease(left, view, now) + "\n";
  return response;
}

ApiResult<ApiResponse> DeleteLeases(LeaseTable& table,
                                    const ApiRequest& request,
                                    const ApiRoute& route, const View& view,
                                    WallTime now) {
  const auto options = ReadOptions(request, route);
  if (!options) return std::unexpected(options.error());
  const auto list = ParseListOptions(route.query, /*watch=*/false);
  if (!list) return std::unexpected(list.error());
  const std::uint64_t version = table.resource_version();
  std::vector<LeaseVersion> matching;
  for (const LeaseVersion& lease : table.List({route.name_space, {}})) {
    if (list->selectors.Matches(lease->lease.metadata)) {
      matching.push_back(lease);
    }
  }
  if (!options->dry_run) {
    for (const LeaseVersion& lease : matching) MarkOrRemove(table, lease, now);
  }
  ApiResponse response;
  response.body = RenderList(matching, {version, "", 0}, view, now) + "\n";
  return response;
}

}  // namespace tenure::embedded
