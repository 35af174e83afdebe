#include "sidecar/kube/name_resolution.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace tenure {
namespace {

constexpr std::size_t kMaxAddresses = 8;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

}  // namespace

Result<std::vector<std::string>> ResolveHost(const std::string& host) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &raw);
  const std::unique_ptr<addrinfo, FreeAddresses> list(raw);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = error == 0 ? list.get() : nullptr;
       entry != nullptr && addresses.size() < kMaxAddresses;
       entry = entry->ai_next) {
    char text[NI_MAXHOST];
    if (::getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof(text),
                      nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    if (std::find(addresses.begin(), addresses.end(), text) ==
        addresses.end()) {
      addresses.emplace_back(text);
    }
  }
  if (!addresses.empty()) return addresses;
  return Fail(ErrorCode::kUnavailable,
              "expected an address for the host " + host + ", found: " +
                  (error != 0 ? ::gai_strerror(error) : "no address") +
                  "; check the name and DNS");
}

}  // namespace tenure
