// ApiAccess: where the API server is and how to be let in, as of now.
//
// Whatever can block (files, DNS, credential plugins) happens on the refresher
// thread of AccessSource; the transports only read the latest immutable
// snapshot, so the renew path waits for none of it (S13).
#ifndef TENURE_KUBE_API_ACCESS_H_
#define TENURE_KUBE_API_ACCESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sidecar/base/error.h"

namespace tenure {

// Immutable once published.
struct ApiAccess {
  bool tls = true;
  std::string host;  // name, IPv4 or IPv6 literal without brackets
  std::uint16_t port = 443;
  std::string path_prefix;  // of the server URL; "" or "/k8s/clusters/c-1"
  // What the certificate must name (SAN only): tls-server-name, or the host.
  std::string verify_name;
  bool insecure = false;  // only if the kubeconfig says so
  std::string ca_pem;     // the only trust; no system bundle
  std::string client_cert_pem;
  std::string client_key_pem;
  std::string bearer_token;  // trimmed, free of control bytes
  std::string proxy_host;    // HTTP CONNECT proxy; "" for none
  std::uint16_t proxy_port = 0;
  std::string proxy_authorization;  // "Basic ..." or ""
  // Literals of what must be dialled (the proxy if there is one): the last
  // good answer of the resolver; IPv6 without brackets.
  std::vector<std::string> addresses;
  // Rises when anything of TLS changed: connections of an older one are
  // replaced, not reused.
  std::uint64_t tls_serial = 0;

  std::string default_namespace;  // of the context or the service account

  // Why the last attempt to re-read failed, in one line; what is above is then
  // what was read before. Empty if it did not.
  std::string refresh_error;
};

// Thread safety: Current and Refresh from any thread.
class AccessSource {
 public:
  virtual ~AccessSource() = default;
  virtual std::shared_ptr<const ApiAccess> Current() const = 0;
  // Re-read everything soon (a 401, a refused connection). Never blocks;
  // coalesced.
  virtual void Refresh() = 0;
};

// In a pod: KUBERNETES_SERVICE_HOST and _PORT, token and CA files under
// `mount` (/var/run/secrets/kubernetes.io/serviceaccount), re-read when they
// change. Reads once before returning; errors say which file or variable.
Result<std::unique_ptr<AccessSource>> InClusterAccess(const std::string& mount);

// `path` "" follows KUBECONFIG (a list) and then ~/.kube/config; `context` ""
// is current-context. Errors name the file, the field and the way out.
// `notes` receives lines worth logging once (insecure-skip-tls-verify).
Result<std::unique_ptr<AccessSource>> KubeconfigAccess(
    const std::string& path, const std::string& context,
    std::vector<std::string>* notes);

// A fixed one: the embedded server, and tests.
std::unique_ptr<AccessSource> FixedAccess(ApiAccess access);

}  // namespace tenure

#endif  // TENURE_KUBE_API_ACCESS_H_
