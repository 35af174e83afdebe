// ExecCredential: what a credential plugin of a kubeconfig answers
// (client.authentication.k8s.io/v1 and v1beta1).
//
// Thread safety: one thread. Runs a program, and so blocks: the refresher
// thread only (S13).
#ifndef TENURE_KUBE_EXEC_CREDENTIAL_H_
#define TENURE_KUBE_EXEC_CREDENTIAL_H_

#include <optional>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/kube/kubeconfig.h"

namespace tenure {

struct ExecCredential {
  std::string token;  // clean
  std::string client_cert_pem;
  std::string client_key_pem;
  std::optional<WallTime> expires;
};

// `ca_pem` is told to plugins that ask for the cluster. Errors carry the first
// words of the plugin's standard error, never its output.
Result<ExecCredential> RunCredentialPlugin(const KubeExec& exec,
                                           const KubeCluster& cluster,
                                           const std::string& ca_pem);

}  // namespace tenure

#endif  // TENURE_KUBE_EXEC_CREDENTIAL_H_
