#include "sidecar/embedded/request_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_time.h"
#include "sidecar/embedded/selectors.h"

namespace tenure::embedded {
namespace {

constexpr char kMetaGroup[] = "meta.k8s.io";
constexpr int kMaxFieldManager = 128;

template <typename Int>
std::expected<Int, std::string> ParseNumber(const std::string& text,
                                            const char* go_function) {
  Int value{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure == std::errc() && stop == end) return value;
  const char* why = failure == std::errc::result_out_of_range && stop == end
                        ? "value out of range"
                        : "invalid syntax";
  return std::unexpected(std::string(go_function) + ": parsing " + Quote(text) +
                         ": " + why);
}

std::expected<std::int64_t, std::string> ParseInt(const std::string& text) {
  if (text.empty()) return 0;
  return ParseNumber<std::int64_t>(text, "strconv.ParseInt");
}

// The 422 checks of ListOptions, in kube-apiserver's order.
std::vector<StatusCause> CheckListOptions(const Query& query, bool watch,
                                          const ListOptions& options) {
  constexpr char kField[] = "resourceVersionMatch";
  const std::string& match = query.Get(kField);
  const std::string& version = query.Get("resourceVersion");
  std::vector<StatusCause> out;
  if (watch) {
    if (!match.empty()) {
      if (!options.send_initial_events) {
        out.push_back(
            ForbiddenValue(kField,
                           "resourceVersionMatch is forbidden for watch unless "
                           "sendInitialEvents is provided"));
      }
      if (match != "NotOlderThan") {
        out.push_back(
            UnsupportedValue(kField, Quote(match), "\"NotOlderThan\""));
      }
    } else if (options.send_initial_events) {
      out.push_back(ForbiddenValue(
          kField,
          "sendInitialEvents requires setting resourceVersionMatch to "
          "NotOlderThan"));
    }
    return out;
  }
  if (options.send_initial_events) {
    out.push_back(ForbiddenValue("sendInitialEvents",
                                 "sendInitialEvents is forbidden for list"));
  }
  if (match.empty()) return out;
  if (version.empty()) {
    out.push_back(ForbiddenValue(
        kField,
        "resourceVersionMatch is forbidden unless resourceVersion is "
        "provided"));
  }
  if (!options.continue_token.empty()) {
    out.push_back(ForbiddenValue(
        kField, "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (match != "Exact" && match != "NotOlderThan") {
    out.push_back(UnsupportedValue(kField, Quote(match),
                                   "\"Exact\", \"NotOlderThan\", \"\""));
  }
  if (match == "Exact" && version == "0") {
    out.push_back(ForbiddenValue(
        kField,
        "resourceVersionMatch \"exact\" is forbidden for resourceVersion "
        "\"0\""));
  }
  return out;
}

}  // namespace

ApiResult<WriteOptions> ParseWriteOptions(const Query& query,
                                          const std::string& kind) {
  WriteOptions out;
  std::vector<StatusCause> causes;
  const std::vector<std::string> dry_run = query.All("dryRun");
  const auto is_all = [](const std::string& value) { return value == "All"; };
  std::string printed;
  for (const std::string& value : dry_run) {
    printed += (printed.empty() ? "" : ",") + Quote(value);
  }
  if (!std::ranges::all_of(dry_run, is_all)) {
    causes.push_back(
        UnsupportedValue("dryRun", "[" + printed + "]", "\"All\""));
  }
  out.dry_run = !dry_run.empty();
  const std::string& manager = query.Get("fieldManager");
  if (manager.size() > kMaxFieldManager) {
    causes.push_back(TooLongValue("fieldManager", kMaxFieldManager));
  }
  const std::string& validation = query.Get("fieldValidation");
  if (validation == "Strict") {
    out.field_validation = FieldValidation::kStrict;
  } else if (validation == "Ignore") {
    out.field_validation = FieldValidation::kIgnore;
  } else if (!validation.empty() && validation != "Warn") {
    causes.push_back(UnsupportedValue("fieldValidation", Quote(validation),
                                      R"("", "Ignore", "Strict", "Warn")"));
  }
  if (kind == "PatchOptions" && !query.Get("force").empty()) {
    causes.push_back(
        ForbiddenValue("force", "may not be specified for non-apply patch"));
  }
  if (!causes.empty()) {
    return std::unexpected(Invalid(kMetaGroup, kind, "", std::move(causes)));
  }
  return out;
}

ApiResult<ListOptions> ParseListOptions(const Query& query, bool watch) {
  ListOptions out;
  const auto limit = ParseInt(query.Get("limit"));
  if (!limit) return std::unexpected(BadRequest(limit.error()));
  const std::string& timeout = query.Get("timeoutSeconds");
  const auto seconds = ParseInt(timeout);
  if (!seconds) return std::unexpected(BadRequest(seconds.error()));
  auto selectors =
      Selectors::Parse(query.Get("fieldSelector"), query.Get("labelSelector"));
  if (!selectors) return std::unexpected(BadRequest(selectors.error()));
  out.selectors = std::move(*selectors);
  out.limit = *limit > 0 ? static_cast<std::uint64_t>(*limit) : 0;
  if (!timeout.empty() && *seconds != 0) out.timeout_seconds = *seconds;
  out.continue_token = query.Get("continue");
  out.exact = query.Get("resourceVersionMatch") == "Exact";
  out.bookmarks = IsTrue(query.Get("allowWatchBookmarks"));
  if (!query.Get("sendInitialEvents").empty()) {
    out.send_initial_events = IsTrue(query.Get("sendInitialEvents"));
  }
  std::vector<StatusCause> causes = CheckListOptions(query, watch, out);
  if (!causes.empty()) {
    return std::unexpected(
        Invalid(kMetaGroup, "ListOptions", "", std::move(causes)));
  }
  const auto version = ParseResourceVersion(query.Get("resourceVersion"));
  if (!version) {
    if (watch) return std::unexpected(InternalFailure(version.error()));
    return std::unexpected(
        BadRequest("invalid resource version: " + version.error()));
  }
  out.resource_version = *version;
  return out;
}

std::expected<std::optional<std::uint64_t>, std::string> ParseResourceVersion(
    const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto value = ParseNumber<std::uint64_t>(text, "strconv.ParseUint");
  if (value) return *value;
  return std::unexpected("resourceVersion: Invalid value: " + Quote(text) +
                         ": " + value.error());
}

std::optional<ApiStatus> CheckTimeout(const Query& query) {
  const std::string& timeout = query.Get("timeout");
  if (timeout.empty()) return std::nullopt;
  const auto duration = ParseGoDuration(timeout);
  if (duration) return std::nullopt;
  return BadRequest("invalid timeout specified in the request URL - " +
                    duration.error());
}

}  // namespace tenure::embedded
