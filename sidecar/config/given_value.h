// GivenValue: one setting as one source gave it, before it is read.
//
// Thread safety: values.
#ifndef TENURE_CONFIG_GIVEN_VALUE_H_
#define TENURE_CONFIG_GIVEN_VALUE_H_

#include <map>
#include <string>
#include <vector>

namespace tenure {

struct GivenValue {
  std::vector<std::string> texts;
  // For people: "--lease-duration", "TENURE_LEASE_DURATION" or
  // "tenure.yaml:7:3 leaseDuration".
  std::string origin;
};

// By flag name.
using GivenValues = std::map<std::string, GivenValue>;

// One line each, ready to print; all that is wrong, not only the first.
using Problems = std::vector<std::string>;

}  // namespace tenure

#endif  // TENURE_CONFIG_GIVEN_VALUE_H_
