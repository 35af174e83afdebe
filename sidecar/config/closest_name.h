// The known name someone probably meant.
//
// Thread safety: pure function.
#ifndef TENURE_CONFIG_CLOSEST_NAME_H_
#define TENURE_CONFIG_CLOSEST_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace tenure {

// The member of `known` at the least edit distance from `found`, if that is at
// most a third of its length; "" otherwise.
std::string ClosestName(std::string_view found,
                        const std::vector<std::string>& known);

}  // namespace tenure

#endif  // TENURE_CONFIG_CLOSEST_NAME_H_
