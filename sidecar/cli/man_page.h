// Manual pages, from the same words and flags as --help.
//
// Thread safety: pure functions.
#ifndef TENURE_CLI_MAN_PAGE_H_
#define TENURE_CLI_MAN_PAGE_H_

#include <string>

#include "sidecar/cli/verbs.h"

namespace tenure {

// tenure-<verb>(1).
std::string ManPage(const Verb& verb);

// tenure(1): the verbs, and what they have in common.
std::string ManOverview();

}  // namespace tenure

#endif  // TENURE_CLI_MAN_PAGE_H_
