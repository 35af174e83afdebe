// The query parameters of reads and writes, decoded and validated as
// kube-apiserver does.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_REQUEST_OPTIONS_H_
#define TENURE_EMBEDDED_REQUEST_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/selectors.h"

namespace tenure::embedded {

enum class FieldValidation { kIgnore, kWarn, kStrict };

struct WriteOptions {
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kWarn;
};

// `kind` names the options in errors: "CreateOptions".
ApiResult<WriteOptions> ParseWriteOptions(const Query& query,
                                          const std::string& kind);

struct ListOptions {
  Selectors selectors;
  std::uint64_t limit = 0;  // 0: none
  std::string continue_token;
  std::optional<std::uint64_t> resource_version;  // empty: unset
  bool exact = false;                             // resourceVersionMatch=Exact
  // Watch only.
  bool bookmarks = false;
  std::optional<bool> send_initial_events;
  std::optional<std::int64_t> timeout_seconds;
};

ApiResult<ListOptions> ParseListOptions(const Query& query, bool watch);

// Empty text is "unset". The error is Go's, as the API passes it on.
std::expected<std::optional<std::uint64_t>, std::string> ParseResourceVersion(
    const std::string& text);

// `?timeout=`: any Go duration is accepted, and nothing here takes long enough
// to need it.
std::optional<ApiStatus> CheckTimeout(const Query& query);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_REQUEST_OPTIONS_H_
