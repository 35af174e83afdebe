#include "sidecar/embedded/lease_validation.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/base/rfc3339.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_object.h"
#include "sidecar/embedded/lease_time.h"
#include "sidecar/embedded/name_rules.h"

namespace tenure::embedded {
namespace {

using Causes = std::vector<StatusCause>;

void Complain(const std::string& field, const std::string& value,
              const Complaints& complaints, Causes& out) {
  for (const std::string& why : complaints) {
    out.push_back(InvalidValue(field, Quote(value), why));
  }
}

void CheckAnnotations(const LeaseMetadata& metadata, Causes& out) {
  std::size_t total = 0;
  for (const auto& [key, value] : metadata.annotations) {
    std::string lower = key;  // keys of annotations may have upper case
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    Complain("metadata.annotations", key, CheckLabelKey(lower), out);
    total += key.size() + value.size();
  }
  if (total > kMaxAnnotationBytes) {
    out.push_back(TooLongValue("metadata.annotations", kMaxAnnotationBytes));
  }
}

void CheckOwners(const LeaseMetadata& metadata, Causes& out) {
  const OwnerReference* controller = nullptr;
  for (std::size_t i = 0; i < metadata.owner_references.size(); ++i) {
    const OwnerReference& owner = metadata.owner_references[i];
    const std::string field =
        "metadata.ownerReferences[" + std::to_string(i) + "].";
    if (owner.api_version.empty()) {
      out.push_back(InvalidValue(field + "apiVersion", "\"\"",
                                 "version must not be empty"));
    } else if (std::ranges::count(owner.api_version, '/') > 1) {
      out.push_back(InvalidValue(field + "apiVersion", Quote(owner.api_version),
                                 "must be <group>/<version> or <version>"));
    }
    const auto require = [&](const char* key, const std::string& value) {
      if (value.empty()) {
        out.push_back(RequiredValue(field + key, "must not be empty"));
      }
    };
    require("kind", owner.kind);
    require("name", owner.name);
    require("uid", owner.uid);
    if (!owner.controller.value_or(false)) continue;
    if (controller != nullptr) {
      out.push_back(InvalidValue(
          "metadata.ownerReferences", "[...]",
          "Only one reference can have Controller set to true. Found \"true\" "
          "in references for " +
              controller->kind + "/" + controller->name + " and " + owner.kind +
              "/" + owner.name));
    }
    controller = &owner;
  }
}

// The checks that creation and update share.
void CheckMetadata(const LeaseMetadata& metadata, Causes& out) {
  if (metadata.generation < 0) {
    out.push_back(InvalidValue("metadata.generation",
                               std::to_string(metadata.generation),
                               "must be greater than or equal to 0"));
  }
  for (const auto& [key, value] : metadata.labels) {
    Complain("metadata.labels", key, CheckLabelKey(key), out);
    Complain("metadata.labels", value, CheckLabelValue(value), out);
  }
  CheckAnnotations(metadata, out);
  CheckOwners(metadata, out);
}

void CheckSpec(const LeaseSpec& spec, Causes& out) {
  if (spec.lease_duration_seconds && *spec.lease_duration_seconds <= 0) {
    out.push_back(InvalidValue("spec.leaseDurationSeconds",
                               std::to_string(*spec.lease_duration_seconds),
                               "must be greater than 0"));
  }
  if (spec.lease_transitions && *spec.lease_transitions < 0) {
    out.push_back(InvalidValue("spec.leaseTransitions",
                               std::to_string(*spec.lease_transitions),
                               "must be greater than or equal to 0"));
  }
}

void CheckFinalizersOnlyShrink(const LeaseMetadata& now,
                               const LeaseMetadata& old, Causes& out) {
  std::string added;
  for (const std::string& finalizer : now.finalizers) {
    if (std::ranges::find(old.finalizers, finalizer) != old.finalizers.end()) {
      continue;
    }
    if (!added.empty()) added += ", ";
    added += Quote(finalizer);
  }
  if (added.empty()) return;
  out.push_back(ForbiddenValue(
      "metadata.finalizers",
      "no new finalizers can be added if the object is being deleted, found "
      "new finalizers []string{" +
          added + "}"));
}

std::string PrintTime(const std::optional<WallTime>& time) {
  return time ? Quote(FormatSecondsTime(*time)) : "null";
}

}  // namespace

Causes ValidateNewLease(const LeaseObject& lease) {
  const LeaseMetadata& metadata = lease.metadata;
  Causes out;
  if (!metadata.generate_name.empty()) {
    // The random end makes a final '-' of the prefix legal.
    std::string prefix = metadata.generate_name;
    if (prefix.size() > 1 && prefix.back() == '-') prefix.back() = 'a';
    Complain("metadata.generateName", metadata.generate_name,
             CheckSubdomain(prefix), out);
  }
  if (metadata.name.empty()) {
    out.push_back(
        RequiredValue("metadata.name", "name or generateName is required"));
  } else {
    Complain("metadata.name", metadata.name, CheckSubdomain(metadata.name),
             out);
  }
  Complain("metadata.namespace", metadata.name_space,
           CheckNamespaceName(metadata.name_space), out);
  CheckMetadata(metadata, out);
  for (const std::string& finalizer : metadata.finalizers) {
    Complain("metadata.finalizers", finalizer, CheckLabelKey(finalizer), out);
  }
  CheckSpec(lease.spec, out);
  return out;
}

Causes ValidateLeaseUpdate(const LeaseObject& lease,
                           const LeaseObject& old_lease) {
  const LeaseMetadata& now = lease.metadata;
  const LeaseMetadata& old = old_lease.metadata;
  Causes out;
  if (old.deletion_timestamp) CheckFinalizersOnlyShrink(now, old, out);
  if (now.uid != old.uid) {
    out.push_back(
        InvalidValue("metadata.uid", Quote(now.uid), "field is immutable"));
  }
  if (now.deletion_timestamp != old.deletion_timestamp) {
    out.push_back(InvalidValue("metadata.deletionTimestamp",
                               PrintTime(now.deletion_timestamp),
                               "field is immutable"));
  }
  if (now.deletion_grace_period_seconds != old.deletion_grace_period_seconds) {
    out.push_back(InvalidValue("metadata.deletionGracePeriodSeconds", "...",
                               "field is immutable"));
  }
  CheckMetadata(now, out);
  CheckSpec(lease.spec, out);
  return out;
}

}  // namespace tenure::embedded
