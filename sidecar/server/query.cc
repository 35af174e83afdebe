#include "sidecar/server/query.h"

#include <cstddef>

namespace tenure {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> Decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  "expected two hexadecimal digits after each % in the query");
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

}  // namespace

Result<std::optional<std::string>> QueryValue(std::string_view query,
                                              std::string_view name) {
  std::optional<std::string> found;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view{}
                                          : query.substr(end + 1);
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    if (found.has_value()) {
      return Fail(
          ErrorCode::kInvalidArgument,
          "expected one " + std::string(name) + " in the query, found several");
    }
    Result<std::string> value =
        Decode(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
    if (!value) return std::unexpected(value.error());
    found = *std::move(value);
  }
  return found;
}

Result<bool> QueryFlag(std::string_view query, std::string_view name) {
  const Result<std::optional<std::string>> value = QueryValue(query, name);
  if (!value) return std::unexpected(value.error());
  if (!value->has_value() || **value == "false" || **value == "0") return false;
  if (**value == "true" || **value == "1" || (*value)->empty()) return true;
  return Fail(ErrorCode::kInvalidArgument,
              "expected " + std::string(name) + "=true or " +
                  std::string(name) + "=false, found \"" + **value + "\"");
}

}  // namespace tenure
