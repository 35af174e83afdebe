// The documents that tell clients which API this is: versions, groups,
// resources, and the little OpenAPI that kubectl asks before it writes.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_DISCOVERY_H_
#define TENURE_EMBEDDED_DISCOVERY_H_

#include <optional>

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"

namespace tenure::embedded {

// Empty for resources that are not such a document.
std::optional<ApiResponse> Describe(Resource resource);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_DISCOVERY_H_
