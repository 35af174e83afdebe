#include "sidecar/config/flag_parser.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/closest_name.h"

namespace tenure {
namespace {

constexpr std::size_t kMaxArguments = 1024;

std::unexpected<Error> Usage(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

void Declare(const FlagSpec& flag, CLI::App* app, ParsedFlags* parsed) {
  std::string names = "--" + flag.name;
  if (flag.short_name != 0) {
    names = std::string("-") + flag.short_name + "," + names;
  }
  std::vector<std::string>& texts = parsed->given[flag.name];
  if (flag.value.empty()) {
    app->add_flag(names + "{true},--no-" + flag.name + "{false}", texts)
        ->take_all();
  } else {
    app->add_option(names, texts)
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
  }
}

// Of the flag that CLI11 says so of: "--lease: 1 required ...".
std::string NeedsValue(const std::vector<FlagSpec>& flags,
                       const std::string& complaint) {
  const std::string name = complaint.substr(0, complaint.find(':'));
  const auto flag = std::ranges::find_if(
      flags, [&](const FlagSpec& spec) { return "--" + spec.name == name; });
  std::string text = name + " needs a value";
  if (flag == flags.end() || flag->value.empty()) return text;
  if (*flag->choices != 0) return text + ": " + OrList(flag->choices);
  return text + ": " +
         (flag->value == "DURATION" ? "a duration such as 15s" : flag->value);
}

// The flag that `text` begins; none if unknown.
const FlagSpec* FlagOf(const std::vector<FlagSpec>& flags,
                       std::string_view text) {
  const bool is_long = text.starts_with("--");
  const std::string_view name = text.substr(is_long ? 2 : 1);
  const auto found = std::ranges::find_if(flags, [&](const FlagSpec& flag) {
    if (!is_long) return flag.short_name == name.front();
    return name.substr(0, name.find('=')) == flag.name ||
           (flag.value.empty() && name == "no-" + flag.name);
  });
  return found == flags.end() ? nullptr : &*found;
}

// What CLI11 did not know: positionals, or flags that do not exist.
Result<void> TakeRest(const std::vector<FlagSpec>& flags,
                      const std::vector<std::string>& rest,
                      ParsedFlags* parsed) {
  bool only_positionals = false;
  for (const std::string& text : rest) {
    if (!only_positionals && text == "--") {
      only_positionals = true;
      continue;
    }
    if (only_positionals || text.size() < 2 || text[0] != '-') {
      parsed->positionals.push_back(text);
      continue;
    }
    std::vector<std::string> names;
    names.reserve(flags.size());
    for (const FlagSpec& flag : flags) names.push_back("--" + flag.name);
    const std::string found = text.substr(0, text.find('='));
    std::string message = "unknown flag " + found;
    const std::string meant = ClosestName(found, names);
    if (!meant.empty()) message += "; did you mean " + meant + "?";
    return Usage(message);
  }
  return {};
}

}  // namespace

std::string OrList(std::string_view choices) {
  std::string text(choices);
  const std::size_t last = text.rfind('|');
  if (last != std::string::npos) text.replace(last, 1, " or ");
  for (std::size_t at = 0; (at = text.find('|')) != std::string::npos;) {
    text.replace(at, 1, ", ");
  }
  return text;
}

std::optional<std::string> FirstPositional(
    const std::vector<FlagSpec>& flags,
    const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& text = arguments[i];
    if (text.size() < 2 || text[0] != '-') return text;
    const FlagSpec* flag = FlagOf(flags, text);
    if (flag == nullptr) return std::nullopt;
    const bool apart = text.starts_with("--")
                           ? text.find('=') == std::string::npos
                           : text.size() == 2;
    if (!flag->value.empty() && apart) ++i;
  }
  return std::nullopt;
}

std::optional<bool> ReadSwitch(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

Result<ParsedFlags> ParseFlags(const std::vector<FlagSpec>& flags,
                               const std::vector<std::string>& arguments) {
  if (arguments.size() > kMaxArguments) {
    return Usage("expected at most 1024 arguments, found " +
                 std::to_string(arguments.size()));
  }
  ParsedFlags parsed;
  std::vector<std::string> rest;
  try {
    CLI::App app;
    app.set_help_flag("");
    app.allow_extras();
    for (const FlagSpec& flag : flags) Declare(flag, &app, &parsed);
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
    rest = app.remaining();
  } catch (const CLI::ArgumentMismatch& error) {
    return Usage(NeedsValue(flags, error.what()));
  } catch (const std::exception& error) {
    return Usage(error.what());
  }
  std::erase_if(parsed.given,
                [](const auto& entry) { return entry.second.empty(); });
  if (Result<void> ok = TakeRest(flags, rest, &parsed); !ok) {
    return std::unexpected(ok.error());
  }
  return parsed;
}

}  // namespace tenure
