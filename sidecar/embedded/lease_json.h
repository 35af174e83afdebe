// Lease JSON to LeaseObject and back, as strict about types and as lenient
// about unknown fields as kube-apiserver.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_LEASE_JSON_H_
#define TENURE_EMBEDDED_LEASE_JSON_H_

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/embedded/lease_object.h"

namespace tenure::embedded {

constexpr int kMaxJsonDepth = 64;
constexpr std::size_t kMaxStrictErrors = 100;  // more are not reported

struct DecodedLease {
  LeaseObject lease;
  // `unknown field "spec.x"`, `duplicate field "metadata.name"`: an error under
  // fieldValidation=Strict, a warning otherwise.
  std::vector<std::string> strict_errors;
};

// kube-apiserver words the same failure with `prefix` for a whole body and
// without for the outcome of a patch.
struct DecodeError {
  std::string prefix;
  std::string cause;
};

// Absent apiVersion and kind are taken as ours. `null` fields count as absent.
std::expected<DecodedLease, DecodeError> DecodeLease(std::string_view json);

// Without kind and apiVersion: as it stands in a LeaseList.
std::string EncodeLeaseItem(const LeaseObject& lease);
// Puts kind and apiVersion in front of an encoded item.
std::string WithTypeMeta(std::string_view item);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_JSON_H_
