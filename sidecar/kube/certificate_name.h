// The name that a server's certificate must bear, fit to be given to OpenSSL.
//
// OpenSSL takes an empty name for "any", a leading dot for "any subdomain" and
// refuses an embedded zero: each would leave a session that checks less than
// was asked for.
//
// Thread safety: pure functions.
#ifndef TENURE_KUBE_CERTIFICATE_NAME_H_
#define TENURE_KUBE_CERTIFICATE_NAME_H_

#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

// An IPv4 or IPv6 literal without brackets.
bool IsIpLiteral(const std::string& text);

// `name` without the dot that ends an absolute name; a literal as it is. Error:
// kInvalidArgument, in one line that begins with `where`.
Result<std::string> CertificateName(std::string_view name,
                                    const std::string& where);

}  // namespace tenure

#endif  // TENURE_KUBE_CERTIFICATE_NAME_H_
