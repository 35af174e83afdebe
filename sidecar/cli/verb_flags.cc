#include "sidecar/cli/verb_flags.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/verb_help.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/duration_text.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/setting_table.h"

namespace tenure {

void PrintProblem(const std::string& text) {
  std::string line = text;  // one, whatever a flag or a file held
  std::replace_if(
      line.begin(), line.end(),
      [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  std::fprintf(stderr, "tenure: %s\n", line.c_str());
}

namespace {

// What is wrong with a switch of a verb; one that is a setting is reported
// with all that is wrong in the settings.
std::string WrongSwitch(const std::vector<FlagSpec>& flags,
                        const ParsedFlags& parsed) {
  for (const FlagSpec& flag : flags) {
    const auto given = parsed.given.find(flag.name);
    if (!flag.value.empty() || given == parsed.given.end()) continue;
    const bool setting = std::ranges::any_of(
        SettingTable(),
        [&](const SettingSpec& spec) { return spec.flag == flag.name; });
    if (setting || ReadSwitch(given->second.back())) continue;
    return "--" + flag.name + ": expected true or false, found \"" +
           given->second.back() + "\"";
  }
  return "";
}

}  // namespace

std::expected<ParsedFlags, int> TakeFlags(const VerbCall& call,
                                          std::vector<FlagSpec> flags,
                                          VerbHelp (*help)(),
                                          std::size_t most_positionals) {
  flags.push_back(FlagSpec{"help", 'h', "", "", ""});
  Result<ParsedFlags> parsed = ParseFlags(flags, call.arguments);
  if (!parsed) {
    PrintProblem(parsed.error().message);
    return std::unexpected(kExitUsage);
  }
  if (const std::string wrong = WrongSwitch(flags, *parsed); !wrong.empty()) {
    PrintProblem(wrong);
    return std::unexpected(kExitUsage);
  }
  if (FlagIsOn(*parsed, "help")) {
    std::fputs(RenderHelp(help()).c_str(), stdout);
    return std::unexpected(kExitOk);
  }
  if (parsed->positionals.size() > most_positionals) {
    PrintProblem("unexpected argument \"" +
                 parsed->positionals[most_positionals] + "\"; usage: tenure " +
                 help().usage);
    return std::unexpected(kExitUsage);
  }
  return *std::move(parsed);
}

std::string FlagValue(const ParsedFlags& flags, const std::string& name,
                      const std::string& otherwise) {
  const auto found = flags.given.find(name);
  return found == flags.given.end() ? otherwise : found->second.back();
}

bool FlagIsOn(const ParsedFlags& flags, const std::string& name) {
  return ReadSwitch(FlagValue(flags, name, "false")).value_or(false);
}

Result<std::uint16_t> FlagPort(const ParsedFlags& flags,
                               const std::string& name,
                               std::uint16_t otherwise) {
  const std::string text = FlagValue(flags, name, std::to_string(otherwise));
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || at != end) {
    return Fail(ErrorCode::kInvalidArgument,
                "--" + name + ": expected a port from 0 to 65535, found \"" +
                    text + "\"");
  }
  return port;
}

Result<Duration> DurationFlag(const ParsedFlags& flags, const std::string& name,
                              const std::string& otherwise) {
  Result<Duration> value = ParseDuration(FlagValue(flags, name, otherwise));
  if (value) return value;
  return Fail(ErrorCode::kInvalidArgument,
              "--" + name + ": " + value.error().message);
}

}  // namespace tenure
