#include "sidecar/embedded/lease_views.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_json.h"
#include "sidecar/embedded/lease_object.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_time.h"

namespace tenure::embedded {
namespace {

constexpr char kColumns[] =
    R"([{"name":"Name","type":"string","format":"name",)"
    R"("description":"Name of the Lease.","priority":0},)"
    R"({"name":"Holder","type":"string","format":"",)"
    R"("description":"Identity of the holder.","priority":0},)"
    R"({"name":"Age","type":"string","format":"",)"
    R"("description":"Time since the Lease was created.","priority":0}])";

std::string_view Trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") - start + 1);
}

// The parts between separators, trimmed.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = text.find(separator);
    out.push_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

// One media range of Accept; empty if we cannot serve it.
std::optional<Form> FormOf(std::string_view range) {
  const std::vector<std::string_view> part = Split(range, ';');
  if (part[0] != "application/json" && part[0] != "*/*") return std::nullopt;
  Form form = Form::kObject;
  for (const std::string_view parameter : part) {
    if (parameter == "as=Table") form = Form::kTable;
    if (parameter == "as=PartialObjectMetadata" ||
        parameter == "as=PartialObjectMetadataList") {
      form = Form::kMetadata;
    }
    if (parameter.starts_with("v=") && parameter != "v=v1") return std::nullopt;
  }
  return form;
}

// {"metadata":{...}} of an item, without its spec: the item is our own text.
std::string MetadataOnly(const LeaseVersion& lease) {
  LeaseObject bare;
  bare.metadata = lease->lease.metadata;
  const std::string item = EncodeLeaseItem(bare);
  const std::string tail = R"(,"spec":{}})";
  return R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)" +
         item.substr(1, item.size() - tail.size() - 1) + "}";
}

std::string RenderRow(const LeaseVersion& lease, RowObject row_object,
                      WallTime now) {
  const LeaseMetadata& metadata = lease->lease.metadata;
  const WallTime created = metadata.creation_timestamp.value_or(now);
  std::string out = R"({"cells":[)" + Quote(metadata.name) + "," +
                    Quote(lease->lease.spec.holder_identity.value_or("")) +
                    "," +
                    Quote(FormatAge(now.since_epoch - created.since_epoch)) +
                    R"(],"object":)";
  switch (row_object) {
    case RowObject::kMetadata:
      out += MetadataOnly(lease);
      break;
    case RowObject::kWhole:
      out += WithTypeMeta(lease->item_json);
      break;
    case RowObject::kNone:
      out += "null";
      break;
  }
  return out + "}";
}

std::string RenderTable(const std::vector<LeaseVersion>& leases,
                        const std::string& metadata, RowObject row_object,
                        WallTime now, bool with_columns) {
  std::string out = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
                    R"("metadata":)" +
                    metadata + R"(,"columnDefinitions":)" +
                    (with_columns ? kColumns : "null") + R"(,"rows":[)";
  for (const LeaseVersion& lease : leases) {
    if (lease != leases.front()) out += ",";
    out += RenderRow(lease, row_object, now);
  }
  return out + "]}";
}

std::string RenderListMetadata(const ListMetadata& metadata) {
  std::string out = R"({"resourceVersion":")" +
                    std::to_string(metadata.resource_version) + "\"";
  if (!metadata.continue_token.empty()) {
    out += R"(,"continue":)" + Quote(metadata.continue_token);
  }
  if (metadata.remaining > 0) {
    out += R"(,"remainingItemCount":)" + std::to_string(metadata.remaining);
  }
  return out + "}";
}

}  // namespace

ApiResult<View> ChooseView(const std::string& accept,
                           const std::string& include_object) {
  View view;
  std::optional<Form> form;
  for (const std::string_view range : Split(accept, ',')) {
    if (!form) form = FormOf(range);
  }
  if (Trim(accept).empty()) form = Form::kObject;
  if (!form) return std::unexpected(NotAcceptable());
  view.form = *form;
  if (*form != Form::kTable) return view;
  if (include_object == "Object") {
    view.row_object = RowObject::kWhole;
  } else if (include_object == "None") {
    view.row_object = RowObject::kNone;
  } else if (!include_object.empty() && include_object != "Metadata") {
    return std::unexpected(BadRequest(
        "Unable to convert to Table as requested: includeObject: Invalid "
        "value: " +
        Quote(include_object) +
        ": must be 'Metadata', 'Object', 'None', or empty"));
  }
  return view;
}

std::string RenderLease(const LeaseVersion& lease, const View& view,
                        WallTime now, bool with_columns) {
  switch (view.form) {
    case Form::kObject:
      break;
    case Form::kTable:
      return RenderTable({lease},
                         RenderListMetadata({lease->resource_version, "", 0}),
                         view.row_object, now, with_columns);
    case Form::kMetadata:
      return MetadataOnly(lease);
  }
  return WithTypeMeta(lease->item_json);
}

std::string RenderList(const std::vector<LeaseVersion>& leases,
                       const ListMetadata& metadata, const View& view,
                       WallTime now) {
  const std::string list_metadata = RenderListMetadata(metadata);
  if (view.form == Form::kTable) {
    return RenderTable(leases, list_metadata, view.row_object, now, true);
  }
  std::string out = view.form == Form::kObject
                        ? R"({"kind":"LeaseList",)"
                          R"("apiVersion":"coordination.k8s.io/v1",)"
                        : R"({"kind":"PartialObjectMetadataList",)"
                          R"("apiVersion":"meta.k8s.io/v1",)";
  out += R"("metadata":)" + list_metadata + R"(,"items":[)";
  for (const LeaseVersion& lease : leases) {
    if (lease != leases.front()) out += ",";
    out += view.form == Form::kObject ? lease->item_json : MetadataOnly(lease);
  }
  return out + "]}";
}

}  // namespace tenure::embedded
