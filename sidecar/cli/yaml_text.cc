#include "sidecar/cli/yaml_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 16;
constexpr std::size_t kIndent = 2;

// JSON's quoting of one value is YAML's, too.
std::string Quoted(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Letters and digits as they stand, but what some YAML reads as another type.
std::string Key(const std::string& key) {
  constexpr std::array<std::string_view, 9> kWords{
      "y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const bool plain = !key.empty() && letter(key.front()) &&
                     std::ranges::all_of(key, [&](char c) {
                       return letter(c) || (c >= '0' && c <= '9');
                     });
  std::string lower = key;
  for (char& c : lower) c = static_cast<char>(c | 0x20);
  return plain && std::ranges::find(kWords, lower) == kWords.end()
             ? key
             : Quoted(key);
}

bool IsBlock(const Json& value) {
  return value.is_structured() && !value.empty();
}

// False if it is too deep.
bool Append(const Json& value, std::size_t depth, std::string* text) {
  if (depth > kDeepest) return false;
  const std::string indent(depth * kIndent, ' ');
  for (auto at = value.begin(); at != value.end(); ++at) {
    *text += indent + (value.is_object() ? Key(at.key()) + ":" : "-");
    if (IsBlock(*at)) {
      *text += "\n";
      if (!Append(*at, depth + 1, text)) return false;
    } else {
      *text += " " + Quoted(*at) + "\n";
    }
  }
  return true;
}

}  // namespace

Result<std::string> YamlText(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) {
    return Fail(ErrorCode::kInvalidArgument,
                "expected a JSON document, found something else");
  }
  if (!IsBlock(document)) return Quoted(document) + "\n";
  std::string text;
  if (Append(document, 0, &text)) return text;
  return Fail(ErrorCode::kInvalidArgument,
              "expected a document at most 16 deep, found a deeper one");
}

}  // namespace tenure
