#include "sidecar/kube/server_url.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace tenure {
namespace {

// Splits `text` at the first of `separator`; the rest is empty without one.
std::string_view TakeUntil(std::string_view* text, std::string_view separator) {
  const std::size_t at = text->find(separator);
  const std::string_view head = text->substr(0, at);
  *text = at == std::string_view::npos ? std::string_view{}
                                       : text->substr(at + separator.size());
  return head;
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(
        digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + 2) return std::nullopt;
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) {
    return std::nullopt;
  }
  return port;
}

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

// "name", "name:1", "[::1]", "[::1]:1" into host and port.
bool ParseAuthority(std::string_view text, ServerUrl* url) {
  std::string_view port;
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    if (text.find(']') == std::string_view::npos) return false;
    url->host = TakeUntil(&text, "]");
    if (url->host.find_first_not_of("0123456789abcdefABCDEF:.%") !=
        std::string::npos) {
      return false;
    }
    if (!text.empty() && !text.starts_with(':')) return false;
    port = text;
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    url->host = text.substr(0, colon);
    port = text.substr(colon);
    if (!std::all_of(url->host.begin(), url->host.end(), IsHostCharacter)) {
      return false;
    }
  }
  if (url->host.empty()) return false;
  url->port = url->scheme == "http" ? 80 : 443;
  if (port.empty()) return true;
  const auto number = ParsePort(port.substr(1));
  url->port = number.value_or(0);
  return number.has_value();
}

bool ParseInto(std::string_view text, ServerUrl* url) {
  if (text.find("://") == std::string_view::npos) return false;
  url->scheme = TakeUntil(&text, "://");
  std::transform(url->scheme.begin(), url->scheme.end(), url->scheme.begin(),
                 [](char c) {
                   return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
                 });
  if (url->scheme != "http" && url->scheme != "https") return false;
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::string_view authority = text.substr(0, slash);
  std::string_view path = text.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  const auto plain = [](char c) {
    return c > ' ' && c <= '~' && c != '?' && c != '#';
  };
  if (!std::all_of(path.begin(), path.end(), plain)) return false;
  url->path = path;
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    const auto user_info = PercentDecoded(authority.substr(0, at));
    if (!user_info.has_value()) return false;
    url->user_info = *user_info;
    authority = authority.substr(at + 1);
  }
  return ParseAuthority(authority, url);
}

}  // namespace

Result<ServerUrl> ParseServerUrl(std::string_view text,
                                 const std::string& where) {
  ServerUrl url;
  if (ParseInto(text, &url)) return url;
  std::string found(text.substr(0, 100));
  if (found.find('@') != std::string::npos) found = "one with user info";
  std::replace_if(
      found.begin(), found.end(), [](char c) { return c < ' ' || c > '~'; },
      '?');
  return Fail(ErrorCode::kInvalidArgument,
              where + ": expected a URL like https://host:6443, found \"" +
                  found + "\"; correct it");
}

}  // namespace tenure
