// Host names to addresses.
//
// Thread safety: any thread. Blocks, for many seconds if the name server is
// dead: the refresher thread only (S13).
#ifndef TENURE_KUBE_NAME_RESOLUTION_H_
#define TENURE_KUBE_NAME_RESOLUTION_H_

#include <string>
#include <vector>

#include "sidecar/base/error.h"

namespace tenure {

// At most eight literals, IPv6 without brackets, in the resolver's order. A
// literal is its own answer. Errors: kUnavailable.
Result<std::vector<std::string>> ResolveHost(const std::string& host);

}  // namespace tenure

#endif  // TENURE_KUBE_NAME_RESOLUTION_H_
