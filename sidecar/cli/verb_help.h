// VerbHelp: what there is to say of a verb, for --help, man pages and
// completion alike.
//
// Thread safety: values and pure functions.
#ifndef TENURE_CLI_VERB_HELP_H_
#define TENURE_CLI_VERB_HELP_H_

#include <string>
#include <vector>

#include "sidecar/config/flag_group.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {

struct VerbHelp {
  std::string usage;  // without the program: "plan [FLAGS]"
  std::string about;  // lines, paragraphs parted by an empty one
  std::vector<FlagGroup> groups;
  std::string example;  // lines, indented
};

// With one group of flags, or none.
VerbHelp HelpText(const std::string& usage, const std::string& about,
                  const std::vector<FlagSpec>& flags,
                  const std::string& example);

// What --help prints.
std::string RenderHelp(const VerbHelp& help);

}  // namespace tenure

#endif  // TENURE_CLI_VERB_HELP_H_
