// The kinds of PATCH as functions from document to document.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_LEASE_PATCH_H_
#define TENURE_EMBEDDED_LEASE_PATCH_H_

#include <string>
#include <string_view>

#include "sidecar/embedded/api_status.h"

namespace tenure::embedded {

enum class PatchKind { kJsonPatch, kMerge, kStrategicMerge };

// From the Content-Type. Errors: 415; server-side apply, too, which would need
// managed fields.
ApiResult<PatchKind> PatchKindOf(const std::string& content_type);

// `document` is our own encoding of the Lease; the result is not validated.
// Errors: 400 for what is no such patch, 422 where it does not apply.
ApiResult<std::string> ApplyPatch(PatchKind kind, const std::string& document,
                                  std::string_view patch);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_PATCH_H_
