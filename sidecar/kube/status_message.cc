#include <nlohmann/json.hpp>

#include "sidecar/kube/bounded_json.h"
#include "sidecar/kube/lease_codec.h"

namespace tenure {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxMessage = 500;
constexpr std::size_t kMaxExcerpt = 120;

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return "";
  return found->get<std::string>();
}

}  // namespace

bool SaysNotFound(std::string_view body) {
  const Result<json> status = ParseBoundedJson(body);
  return status.has_value() && status->is_object() &&
         Text(*status, "kind") == "Status" &&
         Text(*status, "reason") == "NotFound";
}

std::string StatusMessage(std::string_view body) {
  if (body.empty()) return "an empty answer";
  const Result<json> status = ParseBoundedJson(body);
  if (!status.has_value() || !status->is_object()) {
    return OneLine(body, kMaxExcerpt);
  }
  const std::string message = Text(*status, "message");
  const std::string reason = Text(*status, "reason");
  if (message.empty() && reason.empty()) return OneLine(body, kMaxExcerpt);
  if (message.empty()) return OneLine(reason, kMaxMessage);
  if (reason.empty()) return OneLine(message, kMaxMessage);
  return OneLine(message, kMaxMessage) + " (" + OneLine(reason, 60) + ")";
}

}  // namespace tenure
