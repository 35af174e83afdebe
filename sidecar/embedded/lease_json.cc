#include "sidecar/embedded/lease_json.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/base/rfc3339.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/json_document.h"
#include "sidecar/embedded/lease_object.h"
#include "sidecar/embedded/lease_time.h"

namespace tenure::embedded {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr char kApiVersion[] = "coordination.k8s.io/v1";

std::string JsonTypeName(const json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_number()) return "number";
  return value.is_array() ? "array" : "object";
}

void ReportStrict(std::string error, DecodedLease& out) {
  if (out.strict_errors.size() < kMaxStrictErrors) {
    out.strict_errors.push_back(std::move(error));
  }
}

// Reads one object of the document. The first wrong type is kept as the error,
// worded as Go's decoder does.
class FieldReader {
 public:
  // `type`: the Go struct it fills, `path`: "" or "metadata".
  FieldReader(const json& object, std::string type, std::string path,
              DecodedLease& out, std::string& error)
      : object_(object),
        type_(std::move(type)),
        path_(std::move(path)),
        out_(out),
        error_(error) {}

  void String(const char* key, std::string& out) {
    if (const json* value = Find(key)) ReadString(key, *value, out);
  }

  void String(const char* key, std::optional<std::string>& out) {
    if (const json* value = Find(key)) ReadString(key, *value, out.emplace());
  }

  template <typename Int, typename Out>
  void Integer(const char* key, const char* go_type, Out& out) {
    const json* value = Find(key);
    if (value == nullptr) return;
    const bool fits =
        value->is_number_integer() &&
        (value->is_number_unsigned()
             ? value->get<std::uint64_t>() <=
                   static_cast<std::uint64_t>(std::numeric_limits<Int>::max())
             : value->get<std::int64_t>() >= std::numeric_limits<Int>::min() &&
                   value->get<std::int64_t>() <=
                       std::numeric_limits<Int>::max());
    if (fits) {
      out = value->get<Int>();
    } else if (value->is_number()) {
      Mismatch("number " + value->dump(), key, go_type);
    } else {
      Mismatch(JsonTypeName(*value), key, go_type);
    }
  }

  void Bool(const char* key, std::optional<bool>& out) {
    const json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_boolean())
      return Mismatch(JsonTypeName(*value), key, "bool");
    out = value->get<bool>();
  }

  void Time(const char* key, bool micro, std::optional<WallTime>& out) {
    const json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_string()) {
      return Mismatch(JsonTypeName(*value), key, "string");
    }
    const auto& text = value->get_ref<const std::string&>();
    const auto time = micro ? ParseMicroTime(text) : ParseSecondsTime(text);
    if (time) {
      out = *time;
    } else {
      Fail(time.error());
    }
  }

  void Strings(const char* key, std::map<std::string, std::string>& out) {
    const json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_object()) {
      return Mismatch(JsonTypeName(*value), key, "map[string]string");
    }
    for (const auto& [name, item] : value->items()) {
      ReadString(key, item, out[name]);
    }
  }

  void Strings(const char* key, std::vector<std::string>& out) {
    Each(key, "[]string", [this, key, &out](const json& item, std::size_t) {
      ReadString(key, item, out.emplace_back());
    });
  }

  void Each(const char* key, const char* go_type,
            const std::function<void(const json&, std::size_t)>& read) {
    const json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_array()) {
      return Mismatch(JsonTypeName(*value), key, go_type);
    }
    std::size_t index = 0;
    for (const json& item : *value) read(item, index++);
  }

  // The child object `key`, or null where it is absent or of another type.
  const json* Child(const char* key, const char* go_type) {
    const json* value = Find(key);
    if (value == nullptr || value->is_object()) return value;
    Mismatch(JsonTypeName(*value), key, go_type);
    return nullptr;
  }

  // Known, but not kept.
  void Ignore(std::initializer_list<const char*> keys) {
    for (const char* key : keys) known_.emplace_back(key);
  }

  void ReportUnknown() {
    for (const auto& [key, unused] : object_.items()) {
      bool known = false;
      for (const std::string& name : known_) known = known || name == key;
      if (!known) ReportStrict("unknown field " + Quote(Dotted(key)), out_);
    }
  }

 private:
  const json* Find(const char* key) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return nullptr;
    return &*found;
  }

  void ReadString(const char* key, const json& value, std::string& out) {
    if (value.is_string()) {
      out = value.get<std::string>();
    } else if (!value.is_null()) {
      Mismatch(JsonTypeName(value), key, "string");
    }
  }

  std::string Dotted(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }

  void Mismatch(const std::string& found, const char* key,
                const char* go_type) {
    Fail("json: cannot unmarshal " + found + " into Go struct field " + type_ +
         "." + Dotted(key) + " of type " + go_type);
  }

  void Fail(const std::string& message) {
    if (error_.empty()) error_ = message;
  }

  const json& object_;
  std::string type_;
  std::string path_;
  DecodedLease& out_;
  std::string& error_;
  std::vector<std::string> known_;
};

void ReadOwners(FieldReader& metadata, DecodedLease& out, std::string& error) {
  metadata.Each(
      "ownerReferences", "[]v1.OwnerReference",
      [&](const json& item, std::size_t index) {
        OwnerReference& owner =
            out.lease.metadata.owner_references.emplace_back();
        const std::string path =
            "metadata.ownerReferences[" + std::to_string(index) + "]";
        if (!item.is_object()) {
          if (error.empty() && !item.is_null()) {
            error = "json: cannot unmarshal " + JsonTypeName(item) +
                    " into Go struct field ObjectMeta.metadata.ownerReferences"
                    " of type v1.OwnerReference";
          }
          return;
        }
        FieldReader read(item, "OwnerReference", path, out, error);
        read.String("apiVersion", owner.api_version);
        read.String("kind", owner.kind);
        read.String("name", owner.name);
        read.String("uid", owner.uid);
        read.Bool("controller", owner.controller);
        read.Bool("blockOwnerDeletion", owner.block_owner_deletion);
        read.ReportUnknown();
      });
}

void ReadMetadata(const json& object, DecodedLease& out, std::string& error) {
  FieldReader read(object, "ObjectMeta", "metadata", out, error);
  LeaseMetadata& metadata = out.lease.metadata;
  read.String("name", metadata.name);
  read.String("generateName", metadata.generate_name);
  read.String("namespace", metadata.name_space);
  read.String("uid", metadata.uid);
  read.String("resourceVersion", metadata.resource_version);
  read.Integer<std::int64_t>("generation", "int64", metadata.generation);
  read.Time("creationTimestamp", false, metadata.creation_timestamp);
  read.Time("deletionTimestamp", false, metadata.deletion_timestamp);
  read.Integer<std::int64_t>("deletionGracePeriodSeconds", "int64",
                             metadata.deletion_grace_period_seconds);
  read.Strings("labels", metadata.labels);
  read.Strings("annotations", metadata.annotations);
  ReadOwners(read, out, error);
  read.Strings("finalizers", metadata.finalizers);
  read.Each("managedFields", "[]v1.ManagedFieldsEntry",
            [](const json&, std::size_t) {});
  read.Ignore({"selfLink"});
  read.ReportUnknown();
}

void ReadSpec(const json& object, DecodedLease& out, std::string& error) {
  FieldReader read(object, "LeaseSpec", "spec", out, error);
  LeaseSpec& spec = out.lease.spec;
  std::string dropped;
  read.String("holderIdentity", spec.holder_identity);
  read.Integer<std::int32_t>("leaseDurationSeconds", "int32",
                             spec.lease_duration_seconds);
  read.Time("acquireTime", true, spec.acquire_time);
  read.Time("renewTime", true, spec.renew_time);
  read.Integer<std::int32_t>("leaseTransitions", "int32",
                             spec.lease_transitions);
  read.String("strategy", dropped);
  read.String("preferredHolder", dropped);
  read.ReportUnknown();
}

// Empty if `api_version` and `kind` name a v1 Lease.
std::optional<DecodeError> CheckType(const std::string& api_version,
                                     const std::string& kind) {
  if (api_version == kApiVersion && kind == "Lease") return std::nullopt;
  if (api_version == "coordination.k8s.io/v1beta1" && kind == "Lease") {
    return DecodeError{"", "the API version in the data (" + api_version +
                               ") does not match the expected API version (" +
                               kApiVersion + ")"};
  }
  const std::size_t slash = api_version.find('/');
  const std::string version =
      slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  return DecodeError{kind + " in version " + Quote(version) +
                         " cannot be handled as a Lease: ",
                     "no kind " + Quote(kind) + " is registered for version " +
                         Quote(api_version)};
}

std::expected<DecodedLease, DecodeError> Decode(JsonDocument document) {
  DecodedLease out;
  std::string error;
  json root = std::move(document.root);
  if (root.is_null()) root = json::object();
  if (!root.is_object()) {
    return std::unexpected(DecodeError{
        "the object provided is unrecognized (must be of type Lease): ",
        "couldn't get version/kind; json parse error: json: cannot unmarshal " +
            JsonTypeName(root) + " into an object"});
  }
  FieldReader top(root, "Lease", "", out, error);
  std::string api_version, kind;
  top.String("apiVersion", api_version);
  top.String("kind", kind);
  if (error.empty()) {
    const auto wrong =
        CheckType(api_version.empty() ? kApiVersion : api_version,
                  kind.empty() ? "Lease" : kind);
    if (wrong) return std::unexpected(*wrong);
  }
  const json* metadata = top.Child("metadata", "v1.ObjectMeta");
  if (metadata != nullptr) ReadMetadata(*metadata, out, error);
  const json* spec = top.Child("spec", "v1.LeaseSpec");
  if (spec != nullptr) ReadSpec(*spec, out, error);
  top.ReportUnknown();
  if (!error.empty()) {
    return std::unexpected(DecodeError{
        "Lease in version \"v1\" cannot be handled as a Lease: ", error});
  }
  for (const std::string& path : document.duplicates) {
    ReportStrict("duplicate field " + Quote(path), out);
  }
  return out;
}

ordered_json EncodeMetadata(const LeaseMetadata& metadata) {
  ordered_json out{{"name", metadata.name}};
  const auto put = [&out](const char* key, const std::string& value) {
    if (!value.empty()) out[key] = value;
  };
  put("generateName", metadata.generate_name);
  put("namespace", metadata.name_space);
  put("uid", metadata.uid);
  put("resourceVersion", metadata.resource_version);
  if (metadata.generation != 0) out["generation"] = metadata.generation;
  if (metadata.creation_timestamp) {
    out["creationTimestamp"] = FormatSecondsTime(*metadata.creation_timestamp);
  }
  if (metadata.deletion_timestamp) {
    out["deletionTimestamp"] = FormatSecondsTime(*metadata.deletion_timestamp);
  }
  if (metadata.deletion_grace_period_seconds) {
    out["deletionGracePeriodSeconds"] = *metadata.deletion_grace_period_seconds;
  }
  if (!metadata.labels.empty()) out["labels"] = metadata.labels;
  if (!metadata.annotations.empty()) out["annotations"] = metadata.annotations;
  for (const OwnerReference& owner : metadata.owner_references) {
    ordered_json one{{"apiVersion", owner.api_version},
                     {"kind", owner.kind},
                     {"name", owner.name},
                     {"uid", owner.uid}};
    if (owner.controller) one["controller"] = *owner.controller;
    if (owner.block_owner_deletion) {
      one["blockOwnerDeletion"] = *owner.block_owner_deletion;
    }
    out["ownerReferences"].push_back(std::move(one));
  }
  if (!metadata.finalizers.empty()) out["finalizers"] = metadata.finalizers;
  return out;
}

ordered_json EncodeMicroTime(WallTime time) {
  if (time == kZeroTime) return nullptr;
  return FormatMicroTime(time);
}

ordered_json EncodeSpec(const LeaseSpec& spec) {
  ordered_json out = ordered_json::object();
  if (spec.holder_identity) out["holderIdentity"] = *spec.holder_identity;
  if (spec.lease_duration_seconds) {
    out["leaseDurationSeconds"] = *spec.lease_duration_seconds;
  }
  if (spec.acquire_time) {
    out["acquireTime"] = EncodeMicroTime(*spec.acquire_time);
  }
  if (spec.renew_time) out["renewTime"] = EncodeMicroTime(*spec.renew_time);
  if (spec.lease_transitions) out["leaseTransitions"] = *spec.lease_transitions;
  return out;
}

}  // namespace

std::expected<DecodedLease, DecodeError> DecodeLease(std::string_view text) {
  auto document = ParseJson(text, kMaxJsonDepth);
  if (!document) {
    return std::unexpected(DecodeError{
        "the object provided is unrecognized (must be of type Lease): ",
        "couldn't get version/kind; json parse error: " + document.error()});
  }
  return Decode(std::move(*document));
}

std::string EncodeLeaseItem(const LeaseObject& lease) {
  const ordered_json out{{"metadata", EncodeMetadata(lease.metadata)},
                         {"spec", EncodeSpec(lease.spec)}};
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string WithTypeMeta(std::string_view item) {
  std::string out = R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)";
  out += item.substr(1);
  return out;
}

}  // namespace tenure::embedded
