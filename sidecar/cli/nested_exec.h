// Several leases for one command: an exec for each, one inside the other, from
// the first in sorted order to the last. Whoever wants the same leases takes
// them in the same order, so nobody holds what another waits for while waiting
// for what that one holds. Losing any of them ends the command: each exec kills
// all that is below it.
//
// Thread safety: pure functions.
#ifndef TENURE_CLI_NESTED_EXEC_H_
#define TENURE_CLI_NESTED_EXEC_H_

#include <cstddef>
#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {

// The names in `given`, which may hold several separated by commas; sorted.
// Errors: a name Kubernetes does not allow, one given twice, two whose
// generations would share a variable, more than 16.
Result<std::vector<std::string>> SortedLeases(
    const std::vector<std::string>& given);

// What the exec of the lease before `leases` runs: `program` with the same
// flags for `leases`, then `command`.
std::vector<std::string> NestedCommand(const std::string& program,
                                       const ParsedFlags& flags,
                                       const std::vector<std::string>& leases,
                                       const std::vector<std::string>& command);

// Which of those words gives its timeout; 0: none.
std::size_t TimeoutWord(const std::vector<std::string>& nested);

}  // namespace tenure

#endif  // TENURE_CLI_NESTED_EXEC_H_
