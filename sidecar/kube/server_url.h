// ServerUrl: the URL of an API server or of a proxy, taken apart and checked.
//
// Thread safety: pure functions.
#ifndef TENURE_KUBE_SERVER_URL_H_
#define TENURE_KUBE_SERVER_URL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

struct ServerUrl {
  std::string scheme;     // in lower case
  std::string user_info;  // percent-decoded "name:password", or empty
  std::string host;       // IPv6 literals without brackets
  std::uint16_t port = 0;
  std::string path;  // without a trailing slash; "" or "/prefix"
};

// Schemes http and https; the port is the scheme's if none is given. `where`
// names the field in messages, which never show user info.
Result<ServerUrl> ParseServerUrl(std::string_view text,
                                 const std::string& where);

}  // namespace tenure

#endif  // TENURE_KUBE_SERVER_URL_H_
