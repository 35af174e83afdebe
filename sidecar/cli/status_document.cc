#include "sidecar/cli/status_document.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/cli/exit_code.h"

namespace tenure {
namespace {

using nlohmann::json;

// Names come from other programs' records: nothing of them may steer the
// terminal.
std::string Text(const json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_string()) return "";
  std::string text;
  for (const char c : found->get<std::string>()) {
    text += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return text;
}

std::string Remaining(const json& document) {
  const auto remaining = document.find("remainingMs");
  if (remaining == document.end() || !remaining->is_object()) return "";
  const auto by = remaining->find("toRenewBy");
  if (by == remaining->end() || !by->is_number_integer()) return "";
  return " for " + std::to_string(by->get<std::int64_t>()) + " ms";
}

void AddLease(const json& document, StatusSummary* summary) {
  const std::string certainty = Text(document, "certainty");
  std::string line = Text(document, "namespace") + "/" +
                     Text(document, "lease") + ": " + certainty;
  int code = kExitUncertain;
  if (certainty == "held") {
    code = kExitHeld;
    line +=
        ", generation " + Text(document, "generation") + Remaining(document);
  } else if (certainty == "standby") {
    code = kExitStandby;
    const std::string holder = Text(document, "holder");
    const std::string generation = Text(document, "holderGeneration");
    line += holder.empty() ? ", nobody holds it" : ", held by " + holder;
    if (!generation.empty()) line += ", generation " + generation;
  } else {
    const std::string reason = Text(document, "reason");
    if (!reason.empty()) line += ", " + reason;
  }
  const auto draining = document.find("draining");
  if (draining != document.end() && *draining == true) line += ", draining";
  const std::string refusal = Text(document, "refusal");
  if (!refusal.empty()) line += "; " + refusal;
  summary->text += line + "\n";
  summary->exit_code = std::max(summary->exit_code, code);
}

}  // namespace

Result<StatusSummary> ReadStatusDocument(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  StatusSummary summary;
  if (document.is_object() && document.contains("certainty")) {
    AddLease(document, &summary);
    return summary;
  }
  if (document.is_object() && document.contains("leases") &&
      document["leases"].is_array() && !document["leases"].empty()) {
    for (const json& lease : document["leases"]) {
      if (lease.is_object()) AddLease(lease, &summary);
    }
    if (!summary.text.empty()) return summary;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "expected a status document, found something else");
}

}  // namespace tenure
