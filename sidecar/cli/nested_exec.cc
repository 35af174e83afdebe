#include "sidecar/cli/nested_exec.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/lease_name.h"
#include "sidecar/gate/generation_variable.h"

namespace tenure {
namespace {

// Each brings two guards, and waits for those before it.
constexpr std::size_t kMostLeases = 16;

std::unexpected<Error> Usage(std::string text) {
  return Fail(ErrorCode::kInvalidArgument, "--lease: " + std::move(text));
}

}  // namespace

Result<std::vector<std::string>> SortedLeases(
    const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& text : given) {
    std::istringstream parts(text);
    for (std::string name; std::getline(parts, name, ',');) {
      if (const Result<void> ok = CheckLeaseName(name); !ok) {
        return Usage(ok.error().message);
      }
      names.push_back(std::move(name));
    }
  }
  if (names.size() > kMostLeases) {
    return Usage("expected at most 16, found " + std::to_string(names.size()));
  }
  std::ranges::sort(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] == names[i - 1]) {
      return Usage("expected different names, found \"" + names[i] +
                   "\" twice");
    }
  }
  // "a-b" and "a.b" need not be neighbours.
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      const std::string variable = GenerationVariable(names[i]);
      if (variable == GenerationVariable(names[j])) {
        return Usage("expected a generation variable for each, found " +
                     variable + " for both \"" + names[i] + "\" and \"" +
                     names[j] + "\"; rename one");
      }
    }
  }
  return names;
}

std::vector<std::string> NestedCommand(
    const std::string& program, const ParsedFlags& flags,
    const std::vector<std::string>& leases,
    const std::vector<std::string>& command) {
  std::vector<std::string> words = {program, "exec"};
  for (const std::string& lease : leases) words.push_back("--lease=" + lease);
  for (const auto& [name, texts] : flags.given) {
    if (name == "lease") continue;
    for (const std::string& text : texts) {
      std::string word = "--" + name;
      word += "=";
      word += text;
      words.push_back(std::move(word));
    }
  }
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::size_t TimeoutWord(const std::vector<std::string>& nested) {
  for (std::size_t i = 0; i < nested.size() && nested[i] != "--"; ++i) {
    if (nested[i].starts_with("--timeout=")) return i;
  }
  return 0;
}

}  // namespace tenure
