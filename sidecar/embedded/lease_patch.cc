#include "sidecar/embedded/lease_patch.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/json_document.h"
#include "sidecar/embedded/lease_json.h"

namespace tenure::embedded {
namespace {

using nlohmann::json;

// Of one JSON patch.
constexpr std::size_t kMaxOperations = 1'000;
constexpr std::size_t kMaxCopiedBytes = 512U << 10U;

ApiStatus Refused() {
  return {422, "Invalid",
          "the server rejected our request due to an error in our request",
          StatusDetails{}};
}

// The bytes that a copy would add, or 0 for any other operation.
std::size_t CopiedBytes(const json& document, const json& operation) {
  if (!operation.is_object() || operation.value("op", json()) != "copy") {
    return 0;
  }
  return DumpJson(document.at(json::json_pointer(
                      operation.at("from").get<std::string>())))
      .size();
}

// One operation after the other, so that a few copies of copies cannot fill the
// memory.
ApiResult<std::string> ApplyJsonPatch(json document, const json& patch) {
  if (!patch.is_array()) {
    return std::unexpected(
        BadRequest("error decoding patch: expected a list of operations"));
  }
  if (patch.size() > kMaxOperations) {
    return std::unexpected(TooLarge(kMaxOperations));
  }
  std::size_t copied = 0;
  try {
    for (const json& operation : patch) {
      copied += CopiedBytes(document, operation);
      if (copied > kMaxCopiedBytes) {
        return std::unexpected(TooLarge(kMaxCopiedBytes));
      }
      document = document.patch(json::array({operation}));
    }
  } catch (const json::exception&) {
    return std::unexpected(Refused());
  }
  return DumpJson(document);
}

ApiResult<json> MergeMap(json target, const json& patch);

// Lists of the API that merge instead of being replaced: finalizers as a set,
// owner references by uid.
json MergeList(const std::string& key, json target, const json& patch) {
  for (const json& item : patch) {
    const auto same = [&](const json& other) {
      return key == "finalizers"
                 ? other == item
                 : item.is_object() && other.is_object() &&
                       other.contains("uid") &&
                       other["uid"] == item.value("uid", json());
    };
    const auto found = std::ranges::find_if(target, same);
    if (found == target.end()) {
      target.push_back(item);
    } else {
      found->merge_patch(item);
    }
  }
  return target;
}

ApiResult<json> MergeValue(const std::string& key, json target,
                           const json& patch) {
  if (patch.is_object()) {
    return MergeMap(target.is_object() ? std::move(target) : json::object(),
                    patch);
  }
  if (patch.is_array() && target.is_array() &&
      (key == "finalizers" || key == "ownerReferences")) {
    return MergeList(key, std::move(target), patch);
  }
  return patch;
}

ApiResult<json> MergeMap(json target, const json& patch) {
  const json directive = patch.value("$patch", json());
  if (directive == "delete") return json::object();
  if (directive == "replace") {
    target = patch;
    target.erase("$patch");
    return target;
  }
  if (!directive.is_null() && directive != "merge") {
    return std::unexpected(
        InternalFailure("unknown patch type: " + DumpJson(directive)));
  }
  for (const auto& [key, value] : patch.items()) {
    // Orders of lists ($setElementOrder/...) change nothing that we keep.
    if (key == "$patch" || key.starts_with("$setElementOrder/")) continue;
    if (key.starts_with("$")) {
      return std::unexpected(
          BadRequest("strategic merge: expected $patch, found " + Quote(key) +
                     ", which this server does not know; use a merge patch"));
    }
    if (value.is_null()) {
      target.erase(key);
      continue;
    }
    auto merged = MergeValue(key, target.value(key, json()), value);
    if (!merged) return merged;
    target[key] = std::move(*merged);
  }
  return target;
}

}  // namespace

ApiResult<PatchKind> PatchKindOf(const std::string& content_type) {
  const std::string type = content_type.substr(0, content_type.find(';'));
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/strategic-merge-patch+json") {
    return PatchKind::kStrategicMerge;
  }
  if (type == "application/json-patch+json") return PatchKind::kJsonPatch;
  return std::unexpected(UnsupportedPatch());
}

ApiResult<std::string> ApplyPatch(PatchKind kind, const std::string& document,
                                  std::string_view patch_text) {
  const auto patch = ParseJson(patch_text, kMaxJsonDepth);
  if (!patch) return std::unexpected(BadRequest("invalid JSON patch"));
  json target = json::parse(document);
  if (kind == PatchKind::kJsonPatch) {
    return ApplyJsonPatch(std::move(target), patch->root);
  }
  if (patch->root.is_null()) {
    return std::unexpected(BadRequest("Invalid JSON Patch"));
  }
  if (!patch->root.is_object()) {
    return std::unexpected(
        BadRequest("error decoding patch: expected a JSON object"));
  }
  if (kind == PatchKind::kMerge) {
    target.merge_patch(patch->root);
    return DumpJson(target);
  }
  auto merged = MergeMap(std::move(target), patch->root);
  if (!merged) return std::unexpected(merged.error());
  return DumpJson(*merged);
}

}  // namespace tenure::embedded
