// Command line flags, for every verb: which were given, and how often.
//
// Thread safety: pure function.
#ifndef TENURE_CONFIG_FLAG_PARSER_H_
#define TENURE_CONFIG_FLAG_PARSER_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/base/error.h"

namespace tenure {

struct FlagSpec {
  std::string name;     // "lease-duration"
  char short_name = 0;  // 0: none
  std::string value;    // what help calls it; "": a switch
  std::string help;
  std::string fallback;  // what help says of the default; may be empty
  // "wait|take"; "" for free text. For completion: who reads the flag checks
  // its value.
  const char* choices = "";
};

struct ParsedFlags {
  // By name; texts in the order given. A switch has "true" or "false", or
  // what followed its "=".
  std::map<std::string, std::vector<std::string>> given;
  std::vector<std::string> positionals;
};

// `arguments` are those after the verb. "--x V", "--x=V", "-x V"; switches
// "--x", "--no-x", "--x=false"; "--" ends the flags. Errors: one line, with
// the flag probably meant.
Result<ParsedFlags> ParseFlags(const std::vector<FlagSpec>& flags,
                               const std::vector<std::string>& arguments);

// The first argument that is neither a flag nor a flag's value; none, if that
// is a flag that is not known, or help.
std::optional<std::string> FirstPositional(
    const std::vector<FlagSpec>& flags,
    const std::vector<std::string>& arguments);

// "fast, default or patient", of "fast|default|patient".
std::string OrList(std::string_view choices);

// A switch as YAML 1.2's core schema writes one: true, True or TRUE, false,
// False or FALSE, and nothing else: what one of file, variable and flag takes,
// the others take.
std::optional<bool> ReadSwitch(std::string_view text);

}  // namespace tenure

#endif  // TENURE_CONFIG_FLAG_PARSER_H_
