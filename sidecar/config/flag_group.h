// FlagGroup: flags under one heading of a help text.
//
// Thread safety: values.
#ifndef TENURE_CONFIG_FLAG_GROUP_H_
#define TENURE_CONFIG_FLAG_GROUP_H_

#include <string>
#include <vector>

#include "sidecar/config/flag_parser.h"

namespace tenure {

struct FlagGroup {
  std::string heading;
  std::vector<FlagSpec> flags;
};

}  // namespace tenure

#endif  // TENURE_CONFIG_FLAG_GROUP_H_
