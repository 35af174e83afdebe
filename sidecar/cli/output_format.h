// What -o chooses: text, JSON or YAML.
//
// Thread safety: pure functions.
#ifndef TENURE_CLI_OUTPUT_FORMAT_H_
#define TENURE_CLI_OUTPUT_FORMAT_H_

#include <string>

#include "sidecar/base/error.h"
#include "sidecar/cli/status_document.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {

enum class OutputFormat { kText, kJson, kYaml };

FlagSpec OutputFormatFlag();  // --output, -o
Result<OutputFormat> ReadOutputFormat(const ParsedFlags& flags);

// As JSON or as YAML, or a line for each lease.
std::string Formatted(const StatusSummary& summary, OutputFormat format);

}  // namespace tenure

#endif  // TENURE_CLI_OUTPUT_FORMAT_H_
