// LeaseObject: one Lease as this server keeps it, every field that
// kube-apiserver persists except managedFields.
//
// Thread safety: values.
// Invariants: times are microseconds since the Unix epoch; the zero time of
// the API (year 1) is kZeroTime and prints as null, as kube-apiserver does.
#ifndef TENURE_EMBEDDED_LEASE_OBJECT_H_
#define TENURE_EMBEDDED_LEASE_OBJECT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"

namespace tenure::embedded {

constexpr WallTime kZeroTime{std::chrono::microseconds{-62135596800000000}};

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;

  friend bool operator==(const OwnerReference&,
                         const OwnerReference&) = default;
};

struct LeaseMetadata {
  std::string name;
  std::string generate_name;
  std::string name_space;
  std::string uid;
  // As the client sent it, or decimal as the server wrote it. Empty: absent.
  std::string resource_version;
  std::int64_t generation = 0;
  std::optional<WallTime> creation_timestamp;
  std::optional<WallTime> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;

  friend bool operator==(const LeaseMetadata&, const LeaseMetadata&) = default;
};

// `strategy` and `preferredHolder` are known and dropped: the feature gate that
// would keep them is off in 1.37.
struct LeaseSpec {
  std::optional<std::string> holder_identity;
  std::optional<std::int32_t> lease_duration_seconds;
  std::optional<WallTime> acquire_time;
  std::optional<WallTime> renew_time;
  std::optional<std::int32_t> lease_transitions;

  friend bool operator==(const LeaseSpec&, const LeaseSpec&) = default;
};

struct LeaseObject {
  LeaseMetadata metadata;
  LeaseSpec spec;

  friend bool operator==(const LeaseObject&, const LeaseObject&) = default;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_OBJECT_H_
