#include "sidecar/cli/output_format.h"

#include <string>

#include "sidecar/base/error.h"
#include "sidecar/cli/status_document.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/yaml_text.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {

FlagSpec OutputFormatFlag() {
  return {"output",        'o', "FORMAT", "text, json or yaml.", "text",
          "text|json|yaml"};
}

Result<OutputFormat> ReadOutputFormat(const ParsedFlags& flags) {
  const std::string output = FlagValue(flags, "output", "text");
  if (output == "text") return OutputFormat::kText;
  if (output == "json") return OutputFormat::kJson;
  if (output == "yaml") return OutputFormat::kYaml;
  return Fail(
      ErrorCode::kInvalidArgument,
      "--output: expected text, json or yaml, found \"" + output + "\"");
}

std::string Formatted(const StatusSummary& summary, OutputFormat format) {
  switch (format) {
    case OutputFormat::kText:
      return summary.text;
    case OutputFormat::kJson:
      return summary.json;
    case OutputFormat::kYaml:
      // Nested too deeply for YAML: JSON is YAML, too.
      return YamlText(summary.json).value_or(summary.json);
  }
  return summary.text;
}

}  // namespace tenure
