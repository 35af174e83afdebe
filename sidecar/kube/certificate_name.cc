#include "sidecar/kube/certificate_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>

namespace tenure {
namespace {

constexpr std::size_t kLongestName = 253;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), IsNameCharacter) &&
         !name.starts_with('.') && !name.ends_with('.') &&
         name.find("..") == std::string_view::npos;
}

}  // namespace

bool IsIpLiteral(const std::string& text) {
  in6_addr address{};
  // It would read up to an embedded zero only.
  return text.find('\0') == std::string::npos &&
         (::inet_pton(AF_INET, text.c_str(), &address) == 1 ||
          ::inet_pton(AF_INET6, text.c_str(), &address) == 1);
}

Result<std::string> CertificateName(std::string_view name,
                                    const std::string& where) {
  std::string plain(name);
  if (IsIpLiteral(plain)) return plain;
  if (plain.ends_with('.')) plain.pop_back();
  if (IsName(plain)) return plain;
  std::string found(name.substr(0, 80));
  std::replace_if(
      found.begin(), found.end(), [](char c) { return c < ' ' || c > '~'; },
      '?');
  return Fail(ErrorCode::kInvalidArgument,
              where +
                  ": expected the DNS name or address that the API server's "
                  "certificate bears, found \"" +
                  found + "\"; correct it");
}

}  // namespace tenure
