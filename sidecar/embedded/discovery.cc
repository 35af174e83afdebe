#include "sidecar/embedded/discovery.h"

#include <optional>
#include <string>
#include <utility>

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"

namespace tenure::embedded {
namespace {

// gitVersion says which server's behaviour is copied, and that it is a copy.
constexpr char kVersion[] =
    R"({"major":"1","minor":"37","gitVersion":"v1.37.2+tenure",)"
    R"("gitCommit":"","gitTreeState":"","buildDate":"1970-01-01T00:00:00Z",)"
    R"("goVersion":"","compiler":"","platform":"linux/amd64"})"
    "\n";
// No core resources: kubectl complains about a version without any.
constexpr char kCoreVersions[] = R"({"kind":"APIVersions","versions":[],)"
                                 R"("serverAddressByClientCIDRs":[]})"
                                 "\n";
constexpr char kGroup[] =
    R"("name":"coordination.k8s.io","versions":)"
    R"([{"groupVersion":"coordination.k8s.io/v1","version":"v1"}],)"
    R"("preferredVersion":)"
    R"({"groupVersion":"coordination.k8s.io/v1","version":"v1"}})";
constexpr char kResources[] =
    R"({"kind":"APIResourceList","apiVersion":"v1",)"
    R"("groupVersion":"coordination.k8s.io/v1","resources":[{"name":"leases",)"
    R"("singularName":"lease","namespaced":true,"kind":"Lease",)"
    R"("verbs":["create","delete","deletecollection","get","list","patch",)"
    R"("update","watch"]}]})"
    "\n";
constexpr char kOpenApiIndex[] =
    R"({"paths":{"apis/coordination.k8s.io/v1":{"serverRelativeURL":)"
    R"("/openapi/v3/apis/coordination.k8s.io/v1"}}})"
    "\n";
// kubectl looks here only for whether PATCH knows fieldValidation.
constexpr char kOpenApiLeases[] =
    R"({"openapi":"3.0.0","info":{"title":"Leases","version":"v1"},"paths":)"
    R"({"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}":)"
    R"({"patch":{"parameters":[{"name":"fieldValidation","in":"query",)"
    R"("schema":{"type":"string"}},{"name":"dryRun","in":"query",)"
    R"("schema":{"type":"string"}}],"responses":{},)"
    R"("x-kubernetes-action":"patch","x-kubernetes-group-version-kind":)"
    R"({"group":"coordination.k8s.io","kind":"Lease","version":"v1"}}}},)"
    R"("components":{"schemas":{"io.k8s.api.coordination.v1.Lease":)"
    R"({"type":"object","x-kubernetes-group-version-kind":)"
    R"([{"group":"coordination.k8s.io","kind":"Lease","version":"v1"}]}}}})"
    "\n";

ApiResponse Json(std::string body) {
  ApiResponse response;
  response.body = std::move(body);
  return response;
}

}  // namespace

std::optional<ApiResponse> Describe(Resource resource) {
  switch (resource) {
    case Resource::kVersion:
      return Json(kVersion);
    case Resource::kCoreVersions:
      return Json(kCoreVersions);
    case Resource::kGroups:
      return Json(std::string(R"({"kind":"APIGroupList","apiVersion":"v1",)"
                              R"("groups":[{)") +
                  kGroup + "]}\n");
    case Resource::kGroup:
      return Json(std::string(R"({"kind":"APIGroup","apiVersion":"v1",)") +
                  kGroup + "\n");
    case Resource::kGroupResources:
      return Json(kResources);
    case Resource::kOpenApiIndex:
      return Json(kOpenApiIndex);
    case Resource::kOpenApiLeases:
      return Json(kOpenApiLeases);
    case Resource::kHealth:
      return ApiResponse{200, "text/plain; charset=utf-8", "ok", {}, {}};
    case Resource::kLease:
    case Resource::kLeases:
    case Resource::kFaults:
    case Resource::kNoSuchResource:
    case Resource::kUnknown:
      break;
  }
  return std::nullopt;
}

}  // namespace tenure::embedded
