// What execve(2) and posix_spawn(3) want: an environment, and arrays of
// pointers.
//
// Thread safety: pure functions.
#ifndef TENURE_BASE_EXEC_STRINGS_H_
#define TENURE_BASE_EXEC_STRINGS_H_

#include <string>
#include <utility>
#include <vector>

namespace tenure {

// The entries "NAME=value" of `inherited`, which ends with a null pointer, less
// those that `given` names; then `given`.
std::vector<std::string> MergedEnvironment(
    const char* const* inherited,
    const std::vector<std::pair<std::string, std::string>>& given);

// Ends with a null pointer; `texts` owns the characters.
std::vector<char*> ExecPointers(std::vector<std::string>& texts);

}  // namespace tenure

#endif  // TENURE_BASE_EXEC_STRINGS_H_
