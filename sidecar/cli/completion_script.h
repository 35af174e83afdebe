// Completion for shells, from the flags that the verbs take.
//
// Thread safety: pure function.
#ifndef TENURE_CLI_COMPLETION_SCRIPT_H_
#define TENURE_CLI_COMPLETION_SCRIPT_H_

#include <string>
#include <vector>

#include "sidecar/config/flag_parser.h"

namespace tenure {

struct CompletedVerb {
  std::string name;
  std::string summary;
  std::vector<FlagSpec> flags;
  std::vector<std::string> words;  // what may stand there without a flag
  bool runs_command = false;       // after "--"
};

// For "bash", "zsh" or "fish"; empty for any other shell.
std::string CompletionScript(const std::string& shell,
                             const std::vector<CompletedVerb>& verbs);

}  // namespace tenure

#endif  // TENURE_CLI_COMPLETION_SCRIPT_H_
