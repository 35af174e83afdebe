// A JSON document as YAML, for `-o yaml`.
//
// Thread safety: pure function.
#ifndef TENURE_CLI_YAML_TEXT_H_
#define TENURE_CLI_YAML_TEXT_H_

#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

// In block style, keys in their order; strings quoted, so that "on", "1" and
// "null" stay strings. Errors: kInvalidArgument for what is no JSON, or nested
// deeper than 16.
Result<std::string> YamlText(std::string_view json);

}  // namespace tenure

#endif  // TENURE_CLI_YAML_TEXT_H_
