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
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {

// "tenure: <text>" on stderr.
void PrintProblem(const std::string& text);

// "usage: ..." and what follows, with the flags under their heading.
std::string HelpText(const std::string& usage, const std::string& about,
                     const std::vector<FlagSpec>& flags,
                     const std::string& example);

// The flags of `call`; or the exit code, when --help was asked for and printed,
// or the usage was wrong and said so. More than `most` positionals are wrong.
std::expected<ParsedFlags, int> TakeFlags(const VerbCall& call,
                                          std::vector<FlagSpec> flags,
                                          std::string (*help)(),
                                          std::size_t most_positionals);

// The last value given, or `otherwise`.
std::string FlagValue(const ParsedFlags& flags, const std::string& name,
                      const std::string& otherwise);
bool FlagIsOn(const ParsedFlags& flags, const std::string& name);
Result<std::uint16_t> FlagPort(const ParsedFlags& flags,
                               const std::string& name,
                               std::uint16_t otherwise);

}  // namespace tenure

#endif  // TENURE_CLI_VERB_FLAGS_H_
