// Names as Kubernetes takes them: which rule a name breaks, and a name near it
// that breaks none.
//
// Thread safety: pure functions.
#ifndef TENURE_CONFIG_LEASE_NAME_H_
#define TENURE_CONFIG_LEASE_NAME_H_

#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

// A DNS-1123 subdomain, at most 253 characters: what names a Lease. The error
// (kInvalidArgument) says the broken rule and a suggestion.
Result<void> CheckLeaseName(std::string_view name);

// A DNS-1123 label, at most 63 characters: what names a namespace.
Result<void> CheckNamespace(std::string_view name);

// Lower-cased, with what is not allowed turned into '-', cut to `longest`; ""
// if nothing is left.
std::string SuggestName(std::string_view name, std::size_t longest,
                        bool dots_allowed);

}  // namespace tenure

#endif  // TENURE_CONFIG_LEASE_NAME_H_
