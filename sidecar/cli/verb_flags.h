// What every verb does with its flags: --help, one-line errors, values.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_VERB_FLAGS_H_
#define TENURE_CLI_VERB_FLAGS_H_

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/verb_help.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {

// "tenure: <text>" on stderr.
void PrintProblem(const std::string& text);

// The flags of `call`; or the exit code, when --help was asked for and printed,
// or the usage was wrong and said so. More than `most` positionals are wrong.
std::expected<ParsedFlags, int> TakeFlags(const VerbCall& call,
                                          std::vector<FlagSpec> flags,
                                          VerbHelp (*help)(),
                                          std::size_t most_positionals);

// The last value given, or `otherwise`.
std::string FlagValue(const ParsedFlags& flags, const std::string& name,
                      const std::string& otherwise);
bool FlagIsOn(const ParsedFlags& flags, const std::string& name);
Result<std::uint16_t> FlagPort(const ParsedFlags& flags,
                               const std::string& name,
                               std::uint16_t otherwise);
Result<Duration> DurationFlag(const ParsedFlags& flags, const std::string& name,
                              const std::string& otherwise);

}  // namespace tenure

#endif  // TENURE_CLI_VERB_FLAGS_H_
