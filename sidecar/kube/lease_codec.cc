#include "sidecar/kube/lease_codec.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "sidecar/base/rfc3339.h"
#include "sidecar/kube/bounded_json.h"
#include "sidecar/kube/micro_time.h"

namespace tenure {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

// Reads typed fields of one JSON object and keeps the first complaint. Absent
// and null are the same, as for the API server.
class Fields {
 public:
  Fields(const json* object, std::string path, std::string* complaint)
      : object_(object), path_(std::move(path)), complaint_(complaint) {}

  Fields Object(const char* key) const {
    const json* value = Find(key);
    if (value != nullptr && !value->is_object()) {
      Complain(key, "an object", JsonTypeName(*value));
      value = nullptr;
    }
    return Fields(value, path_ + key + ".", complaint_);
  }

  std::optional<std::string> Text(const char* key) const {
    const json* value = Find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) {
      Complain(key, "a string", JsonTypeName(*value));
      return std::nullopt;
    }
    return value->get<std::string>();
  }

  std::string RequiredText(const char* key) const {
    std::string text = Text(key).value_or("");
    if (text.empty()) Complain(key, "a string", "nothing");
    return text;
  }

  std::optional<std::int32_t> Int32(const char* key, std::int64_t low) const {
    const json* value = Find(key);
    if (value == nullptr) return std::nullopt;
    // An unsigned above int64 would wrap in get<int64>: look at both ends.
    const bool in_range =
        value->is_number_unsigned()
            ? value->get<std::uint64_t>() <=
                      static_cast<std::uint64_t>(kMaxInt32) &&
                  value->get<std::int64_t>() >= low
            : value->is_number_integer() && value->get<std::int64_t>() >= low;
    if (!in_range) {
      Complain(
          key,
          "an integer from " + std::to_string(low) + " to " +
              std::to_string(kMaxInt32),
          OneLine(value->dump(-1, ' ', false, json::error_handler_t::replace),
                  40));
      return std::nullopt;
    }
    return static_cast<std::int32_t>(value->get<std::int64_t>());
  }

  std::optional<WallTime> Time(const char* key) const {
    const std::optional<std::string> text = Text(key);
    if (!text.has_value()) return std::nullopt;
    const Result<WallTime> time = ParseMicroTime(*text);
    if (time.has_value()) return *time;
    Complain(key, "an RFC 3339 time", OneLine(*text, 40));
    return std::nullopt;
  }

 private:
  const json* Find(const char* key) const {
    if (object_ == nullptr) return nullptr;
    const auto found = object_->find(key);
    if (found == object_->end() || found->is_null()) return nullptr;
    return &*found;
  }

  void Complain(const char* key, const std::string& expected,
                const std::string& found) const {
    if (!complaint_->empty()) return;
    *complaint_ = path_ + key + ": expected " + expected + ", found " + found +
                  "; mend the Lease by hand";
  }

  const json* object_;  // null: every field is absent
  std::string path_;
  std::string* complaint_;
};

// What could not have been recorded by us is no run.
LastRun RecordedRun(const Fields& annotations) {
  LastRun last{annotations.Text(kLastRunAnnotation).value_or(""),
               annotations.Text(kLastRunOrderAnnotation).value_or("")};
  if (!CheckRunId(last.id)) last.id.clear();
  if (!IsRunOrder(last.order)) last.order.clear();
  return last;
}

void DecodeObject(const json& object, LeaseRecord* record) {
  const Fields lease(&object, "", &record->unreadable);
  const Fields metadata = lease.Object("metadata");
  record->uid = metadata.RequiredText("uid");
  record->resource_version = metadata.RequiredText("resourceVersion");
  const std::string kind = lease.Text("kind").value_or("Lease");
  if (kind != "Lease" && record->unreadable.empty()) {
    record->unreadable = "kind: expected Lease, found " + OneLine(kind, 40);
  }
  const Fields annotations = metadata.Object("annotations");
  record->generation = annotations.Text(kGenerationAnnotation);
  record->write = annotations.Text(kWriteAnnotation).value_or("");
  record->last_run = RecordedRun(annotations);
  const Fields spec = lease.Object("spec");
  record->holder = spec.Text("holderIdentity").value_or("");
  record->duration_seconds = spec.Int32("leaseDurationSeconds", 1);
  record->acquire_time = spec.Time("acquireTime");
  record->renew_time = spec.Time("renewTime");
  record->transitions = spec.Int32("leaseTransitions", 0);
}

// The member, made an object if it is anything else.
json& ObjectAt(json& parent, const char* key) {
  json& member = parent[key];
  if (!member.is_object()) member = json::object();
  return member;
}

void SetOrErase(json& object, const char* key, const std::string& text) {
  if (text.empty()) {
    object.erase(key);
  } else {
    object[key] = text;
  }
}

}  // namespace

LeaseRecord DecodeLease(std::string_view text) {
  LeaseRecord record;
  const Result<json> object = ParseBoundedJson(text);
  if (!object.has_value()) {
    record.unreadable = object.error().message;
    return record;
  }
  if (!object->is_object()) {
    record.unreadable =
        std::string("expected a Lease object, found ") + JsonTypeName(*object);
    return record;
  }
  record.document = text;
  DecodeObject(*object, &record);
  return record;
}

std::string EncodeLease(const std::string& name_space, const std::string& name,
                        const LeaseWrite& write) {
  json lease = json::parse(write.document, nullptr, false);
  if (!lease.is_object()) lease = json::object();
  const bool create = write.uid.empty();
  lease["apiVersion"] = "coordination.k8s.io/v1";
  lease["kind"] = "Lease";

  json& metadata = ObjectAt(lease, "metadata");
  metadata["namespace"] = name_space;
  metadata["name"] = name;
  SetOrErase(metadata, "uid", write.uid);  // S4
  SetOrErase(metadata, "resourceVersion", write.resource_version);
  // The server keeps its own; sending it back doubles the request.
  metadata.erase("managedFields");
  if (create) {
    json& labels = ObjectAt(metadata, "labels");
    labels["app.kubernetes.io/managed-by"] = "tenure";
    labels["tenure.dev/guarded"] = "true";
  }
  json& annotations = ObjectAt(metadata, "annotations");
  annotations[kWriteAnnotation] = write.write;
  if (write.generation.has_value()) {
    annotations[kGenerationAnnotation] = std::to_string(*write.generation);
  }
  if (write.last_run.has_value()) {
    annotations[kLastRunAnnotation] = write.last_run->id;
    annotations[kLastRunOrderAnnotation] = write.last_run->order;
  }

  json& spec = ObjectAt(lease, "spec");
  // The create names no holder (S4); a release names the empty one (S9).
  if (create) {
    spec.erase("holderIdentity");
  } else {
    spec["holderIdentity"] = write.holder;
  }
  if (write.duration_seconds > 0) {
    spec["leaseDurationSeconds"] = write.duration_seconds;
  }
  if (write.acquire_time.has_value()) {
    spec["acquireTime"] = FormatMicroTime(*write.acquire_time);
  }
  if (write.renew_time.has_value()) {
    spec["renewTime"] = FormatMicroTime(*write.renew_time);
  }
  if (write.transitions.has_value()) {
    spec["leaseTransitions"] = *write.transitions;
  }
  return lease.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tenure
