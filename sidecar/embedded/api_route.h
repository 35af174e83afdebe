// ApiRoute: what a request is about, read from its method and target alone.
//
// Thread safety: values and pure functions.
#ifndef TENURE_EMBEDDED_API_ROUTE_H_
#define TENURE_EMBEDDED_API_ROUTE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenure::embedded {

enum class Resource {
  kLease,           // one, by name
  kLeases,          // of a namespace, or of all
  kVersion,         // /version
  kHealth,          // /healthz, /livez, /readyz
  kCoreVersions,    // /api
  kGroups,          // /apis
  kGroup,           // /apis/coordination.k8s.io
  kGroupResources,  // /apis/coordination.k8s.io/v1
  kOpenApiIndex,    // /openapi/v3
  kOpenApiLeases,   // /openapi/v3/apis/coordination.k8s.io/v1
  kFaults,          // /faults
  kNoSuchResource,  // below /api or our group, but nothing we know
  kUnknown,
};

enum class Verb {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
  kNotAllowed,
};

// Decoded query parameters in order; the first of a name counts.
class Query {
 public:
  void Add(std::string key, std::string value);
  // Empty: absent or empty, which the API does not tell apart.
  const std::string& Get(std::string_view key) const;
  std::vector<std::string> All(std::string_view key) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

struct ApiRoute {
  Resource resource = Resource::kUnknown;
  Verb verb = Verb::kNotAllowed;
  std::string name_space;  // empty: all namespaces
  std::string name;
  Query query;
};

// Empty: a broken percent-escape.
std::optional<ApiRoute> ParseRoute(std::string_view method,
                                   std::string_view target);

// "get", "deletecollection", ...: as RBAC names them.
const char* VerbName(Verb verb);

// True for everything but "", "0" and "false", as the API reads booleans.
bool IsTrue(const std::string& value);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_API_ROUTE_H_
