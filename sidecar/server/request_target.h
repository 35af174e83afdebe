// What a request names: whose server it means, and which of its resources.
//
// Thread safety: pure functions.
#ifndef TENURE_SERVER_REQUEST_TARGET_H_
#define TENURE_SERVER_REQUEST_TARGET_H_

#include <string>
#include <string_view>

namespace tenure {

struct RequestTarget {
  std::string_view host;   // "localhost:7421"; of the target, else of Host
  std::string path;        // unreserved characters decoded
  std::string_view query;  // as received; "" for none
};

// `target` in origin form ("/v1/status?lease=a") or in absolute form
// ("http://localhost/v1/status"), whose host then replaces that of the header
// (RFC 9112, 3.2.2). Views both arguments.
RequestTarget ParseTarget(std::string_view target, std::string_view host);

// A page in a browser can make requests to loopback, under any name that
// resolves to it; it cannot choose these names: localhost, 127.0.0.1, [::1],
// with or without a port.
bool IsLoopbackHost(std::string_view host);

// localhost or a literal address, with or without a port: what is reached by
// no name that somebody else could point here.
bool IsAddressHost(std::string_view host);

}  // namespace tenure

#endif  // TENURE_SERVER_REQUEST_TARGET_H_
