// Lease JSON to LeaseRecord and back.
//
// Thread safety: pure functions.
#ifndef TENURE_KUBE_LEASE_CODEC_H_
#define TENURE_KUBE_LEASE_CODEC_H_

#include <string>
#include <string_view>

#include "sidecar/authority/lease_record.h"
#include "sidecar/authority/output.h"
#include "sidecar/base/error.h"

namespace tenure {

// Never fails: what cannot be decoded comes back with `unreadable` set (and
// uid, resourceVersion and document where they could be read), S9 and S12.
// Limits: 1 MiB, depth 64.
LeaseRecord DecodeLease(std::string_view json);

// The object to PUT: `write`'s own fields merged into its document, everything
// else kept (S11), managedFields left out.
std::string EncodeLease(const std::string& name_space, const std::string& name,
                        const LeaseWrite& write);

// The `message` (and reason) of a metav1.Status body in one line, or a short
// excerpt of whatever else it is.
std::string StatusMessage(std::string_view body);

// Whether a body is a metav1.Status with the reason NotFound: an API server's
// own word, not a page of something in its place.
bool SaysNotFound(std::string_view body);

}  // namespace tenure

#endif  // TENURE_KUBE_LEASE_CODEC_H_
