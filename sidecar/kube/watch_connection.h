// WatchConnection: one watch request on cpprestsdk, from dialling to the end of
// the answer. The only place, with its pool, that cpprestsdk is called from.
//
// Thread safety: Run and Cancel from any thread, Run once. The listener is
// called one call at a time, on the pool or from within Run: hold no lock there
// that the listener takes.
// Invariants: Every connection that ran ends with exactly one OnEnd, also after
// Cancel. Nothing is replayed or redirected, and no name is resolved.
#ifndef TENURE_KUBE_WATCH_CONNECTION_H_
#define TENURE_KUBE_WATCH_CONNECTION_H_

#include <memory>
#include <string>
#include <string_view>

#include "sidecar/base/instant.h"
#include "sidecar/kube/api_access.h"

namespace tenure {

struct WatchTarget {
  std::shared_ptr<const ApiAccess> access;
  std::string address;   // the literal to dial
  std::string resource;  // path and query, encoded
  std::string user_agent;
  Duration longest_gap{};  // between two pieces; a last resort
};

struct WatchEnd {
  int status = 0;           // 0: no answer came
  Duration retry_after{0};  // as the server asked for
  // The failure in words, or the body of an answer that is not a 200. Empty if
  // the server ended the stream properly.
  std::string message;
};

class WatchListener {
 public:
  virtual ~WatchListener() = default;
  virtual void OnOpened() = 0;  // 200: bytes follow
  virtual void OnBytes(std::string_view bytes) = 0;
  virtual void OnEnd(const WatchEnd& end) = 0;
};

class WatchConnection {
 public:
  static std::shared_ptr<WatchConnection> Create(
      std::shared_ptr<WatchListener> listener);

  virtual ~WatchConnection() = default;
  virtual void Run(const WatchTarget& target) = 0;
  virtual void Cancel() = 0;
};

// Whether the library we are linked with connects to IPv6 literals: ours does,
// Debian's does not.
bool WatchReachesIpv6();

}  // namespace tenure

#endif  // TENURE_KUBE_WATCH_CONNECTION_H_
