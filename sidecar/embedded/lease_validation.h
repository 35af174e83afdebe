// What kube-apiserver validates of a Lease before it stores it.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_LEASE_VALIDATION_H_
#define TENURE_EMBEDDED_LEASE_VALIDATION_H_

#include <vector>

#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_object.h"

namespace tenure::embedded {

constexpr int kMaxAnnotationBytes = 256 * 1024;  // keys and values together

std::vector<StatusCause> ValidateNewLease(const LeaseObject& lease);

// REQUIRES: what an update may not change was already carried over from
// `old_lease` where the client left it out.
std::vector<StatusCause> ValidateLeaseUpdate(const LeaseObject& lease,
                                             const LeaseObject& old_lease);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_VALIDATION_H_
