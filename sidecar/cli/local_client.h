// One question to a sidecar's local surface.
//
// Thread safety: any thread; waits for the answer.
#ifndef TENURE_CLI_LOCAL_CLIENT_H_
#define TENURE_CLI_LOCAL_CLIENT_H_

#include <cstdint>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

struct LocalAddress {
  std::string socket;      // path; "" for TCP
  std::uint16_t port = 0;  // of 127.0.0.1
  std::string flag;        // by which it can be named; "" for none
};

struct LocalAnswer {
  int status = 0;
  std::string body;
};

// "/run/tenure/tenure.sock" or "127.0.0.1:7421".
std::string AddressText(const LocalAddress& address);

// Errors: kUnavailable if nobody answers there within `limit`; bodies above
// 1 MiB are refused.
Result<LocalAnswer> LocalGet(const LocalAddress& address,
                             const std::string& target, bool json,
                             Duration limit);

// Any other request; `body` is JSON.
Result<LocalAnswer> LocalSend(const LocalAddress& address,
                              const std::string& method,
                              const std::string& target,
                              const std::string& body, Duration limit);

// With an empty body: what a control route needs stands in its query.
Result<LocalAnswer> LocalPost(const LocalAddress& address,
                              const std::string& target, Duration limit);

}  // namespace tenure

#endif  // TENURE_CLI_LOCAL_CLIENT_H_
