#include "sidecar/base/exec_strings.h"

#include <algorithm>
#include <string_view>

namespace tenure {

std::vector<std::string> MergedEnvironment(
    const char* const* inherited,
    const std::vector<std::pair<std::string, std::string>>& given) {
  std::vector<std::string> entries;
  for (; inherited != nullptr && *inherited != nullptr; ++inherited) {
    const std::string_view text = *inherited;
    const std::string_view name = text.substr(0, text.find('='));
    const auto replaces = [&](const auto& pair) { return pair.first == name; };
    if (std::ranges::none_of(given, replaces)) entries.emplace_back(text);
  }
  for (const auto& [name, value] : given) {
    entries.push_back(name);
    entries.back() += "=" + value;
  }
  return entries;
}

std::vector<char*> ExecPointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace tenure
