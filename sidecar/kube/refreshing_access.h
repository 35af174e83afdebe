// RefreshingAccess: the AccessSource that follows files, names and expiring
// credentials. One thread of its own does everything that can block.
//
// Thread safety: any thread.
// Invariants: a snapshot that was good stays until a better one is read; the
// destructor does not wait for a dead name server or a credential plugin.
#ifndef TENURE_KUBE_REFRESHING_ACCESS_H_
#define TENURE_KUBE_REFRESHING_ACCESS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/kube/api_access.h"

namespace tenure {

// Credentials are renewed this long before they end.
inline constexpr std::chrono::seconds kCredentialMargin{30};

struct LoadedAccess {
  ApiAccess access;  // without addresses and tls_serial
  // Whose change asks for another Load.
  std::vector<std::string> files;
  // When the credentials end.
  std::optional<WallTime> expires;
};

// Reads whatever there is to read. Called by one thread at a time; may block.
class AccessLoader {
 public:
  virtual ~AccessLoader() = default;
  // `renew`: the credentials were refused; do not answer from a cache.
  virtual Result<LoadedAccess> Load(bool renew) = 0;
};

struct RefreshPace {
  // How often the files' status is looked at.
  std::chrono::milliseconds poll{10'000};
  // Between two answers to Refresh.
  std::chrono::milliseconds spacing{1'000};
  // Names are resolved again each time this many polls have passed.
  int polls_per_resolution = 30;
};

using HostResolver =
    std::function<Result<std::vector<std::string>>(const std::string&)>;

// Loads once before returning. A name that does not resolve then is not an
// error: the snapshot has no addresses until it does.
Result<std::unique_ptr<AccessSource>> NewRefreshingAccess(
    std::unique_ptr<AccessLoader> loader, HostResolver resolver,
    const RefreshPace& pace);

}  // namespace tenure

#endif  // TENURE_KUBE_REFRESHING_ACCESS_H_
