// JSON of the API server and of credential plugins, with limits: 1 MiB, depth
// 64. Private to sidecar/kube, because it includes nlohmann.
//
// Thread safety: pure functions.
#ifndef TENURE_KUBE_BOUNDED_JSON_H_
#define TENURE_KUBE_BOUNDED_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 20;
inline constexpr int kMaxJsonDepth = 64;

// Errors: kInvalidArgument. Of two equal keys the last counts, as in Go.
Result<nlohmann::json> ParseBoundedJson(std::string_view text);

// "a string", "an object", ...: what a person would call `value`.
const char* JsonTypeName(const nlohmann::json& value);

// `text` with everything but printable ASCII replaced, cut at `limit` bytes:
// what others sent, made fit for one line of a log.
std::string OneLine(std::string_view text, std::size_t limit);

}  // namespace tenure

#endif  // TENURE_KUBE_BOUNDED_JSON_H_
