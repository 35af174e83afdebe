// Which API server to use, and how.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_ACCESS_CHOICE_H_
#define TENURE_CLI_ACCESS_CHOICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/settings.h"
#include "sidecar/embedded/embedded_server.h"
#include "sidecar/kube/api_access.h"

namespace tenure {

enum class AccessKind { kEmbedded, kInCluster, kKubeconfig };

// A kubeconfig or context that was named wins; then the pod's service account,
// if `mount` has its token; then KUBECONFIG and ~/.kube/config.
AccessKind ChooseAccess(const Settings& settings,
                        const Environment& environment,
                        const std::string& mount);

// "https://10.0.0.1:443", for people.
std::string DescribeAccess(const ApiAccess& access);

struct OpenedAccess {
  std::unique_ptr<EmbeddedServer> embedded;  // only with --embedded; started
  std::unique_ptr<AccessSource> source;
  std::vector<std::string> notes;  // worth logging once
};

// `embedded_connections`: how many an embedded server may have open.
Result<OpenedAccess> OpenAccess(const Settings& settings,
                                const Environment& environment,
                                std::int64_t embedded_connections);

}  // namespace tenure

#endif  // TENURE_CLI_ACCESS_CHOICE_H_
