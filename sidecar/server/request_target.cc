#include "sidecar/server/request_target.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>

namespace tenure {
namespace {

constexpr std::string_view kScheme = "http://";
// No address and no name we know is longer.
constexpr std::size_t kLongestHost = 64;

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [](char a, char b) { return a == Lower(b); });
}

int HexDigit(char c) {
  c = Lower(c);
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool IsUnreserved(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// RFC 3986, 6.2.2.2: an encoded unreserved character is that character; the
// others keep their meaning, and no route has any.
std::string Normalized(std::string_view path) {
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const int high =
        path[i] == '%' && i + 2 < path.size() ? HexDigit(path[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(path[i + 2]) : -1;
    const char decoded = static_cast<char>(high * 16 + low);
    if (low >= 0 && IsUnreserved(decoded)) {
      plain += decoded;
      i += 2;
    } else {
      plain += path[i];
    }
  }
  return plain;
}

// "localhost", lower-case, without a port; "" if it cannot be that.
std::string NameOf(std::string_view host) {
  if (host.size() > kLongestHost) return "";
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos) return "";
  const std::size_t colon = host.find(':', bracket);
  const std::string_view port =
      colon == std::string_view::npos ? "" : host.substr(colon + 1);
  if (port.size() > 5 ||
      port.find_first_not_of("0123456789") != std::string_view::npos) {
    return "";
  }
  std::string name(host.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), Lower);
  return name;
}

bool IsAddress(const std::string& name) {
  in6_addr address{};
  if (name.starts_with('[') && name.ends_with(']')) {
    const std::string inside = name.substr(1, name.size() - 2);
    return inet_pton(AF_INET6, inside.c_str(), &address) == 1;
  }
  return inet_pton(AF_INET, name.c_str(), &address) == 1;
}

}  // namespace

RequestTarget ParseTarget(std::string_view target, std::string_view host) {
  RequestTarget parsed;
  parsed.host = host;
  const bool absolute = StartsWithIgnoringCase(target, kScheme);
  if (absolute) {
    target.remove_prefix(kScheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    parsed.host = target.substr(0, end);
    target.remove_prefix(end);
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  parsed.path = Normalized(target.substr(0, mark));
  if (absolute && parsed.path.empty()) parsed.path = "/";
  if (mark < target.size()) parsed.query = target.substr(mark + 1);
  return parsed;
}

bool IsLoopbackHost(std::string_view host) {
  const std::string name = NameOf(host);
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

bool IsAddressHost(std::string_view host) {
  const std::string name = NameOf(host);
  return name == "localhost" || IsAddress(name);
}

}  // namespace tenure
