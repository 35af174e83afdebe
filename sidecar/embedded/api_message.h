// ApiRequest, ApiResponse: one HTTP exchange as values, so that everything
// above the sockets is a pure function of them.
//
// Thread safety: values.
#ifndef TENURE_EMBEDDED_API_MESSAGE_H_
#define TENURE_EMBEDDED_API_MESSAGE_H_

#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"

namespace tenure::embedded {

struct ApiRequest {
  std::string method;
  std::string target;  // path and query, still percent-encoded
  std::string accept;
  std::string content_type;
  std::string body;
};

// What a request needs from outside: the wall clock for timestamps, random
// bits for a uid or a generated name.
struct RequestContext {
  WallTime now;
  Entropy entropy{};
};

struct ApiResponse {
  int code = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::string> warnings;  // one Warning header each
  std::optional<int> retry_after_seconds;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_API_MESSAGE_H_
