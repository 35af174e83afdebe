#include "sidecar/cli/access_choice.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/settings.h"
#include "sidecar/embedded/embedded_server.h"
#include "sidecar/kube/api_access.h"
#include "sidecar/server/port_owner.h"

namespace tenure {
namespace {

constexpr char kServiceAccount[] =
    "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr char kLoopback[] = "127.0.0.1";

Result<OpenedAccess> OpenEmbedded(const Settings& settings,
                                  std::int64_t connections) {
  EmbeddedServerOptions options;
  options.port = static_cast<std::uint16_t>(settings.embedded_port);
  options.max_connections = static_cast<std::size_t>(connections);
  options.port_flag = "--embedded-port";
  options.port_owner = &PortOwner;
  auto server = EmbeddedServer::Open(options);
  if (!server) return std::unexpected(server.error());
  (*server)->Start();
  ApiAccess access;
  access.tls = false;
  access.host = kLoopback;
  access.verify_name = kLoopback;
  access.port = (*server)->port();
  access.addresses = {kLoopback};
  access.default_namespace = "default";
  return OpenedAccess{*std::move(server), FixedAccess(std::move(access)), {}};
}

Result<OpenedAccess> Opened(Result<std::unique_ptr<AccessSource>> source,
                            std::vector<std::string> notes) {
  if (!source) return std::unexpected(source.error());
  return OpenedAccess{nullptr, *std::move(source), std::move(notes)};
}

}  // namespace

AccessKind ChooseAccess(const Settings& settings,
                        const Environment& environment,
                        const std::string& mount) {
  if (settings.embedded) return AccessKind::kEmbedded;
  const auto host = environment.find("KUBERNETES_SERVICE_HOST");
  const bool named = !settings.kubeconfig.empty() || !settings.context.empty();
  std::error_code error;
  if (!named && host != environment.end() && !host->second.empty() &&
      std::filesystem::exists(mount + "/token", error)) {
    return AccessKind::kInCluster;
  }
  return AccessKind::kKubeconfig;
}

std::string DescribeAccess(const ApiAccess& access) {
  const bool ipv6 = access.host.find(':') != std::string::npos;
  return std::string(access.tls ? "https://" : "http://") +
         (ipv6 ? "[" + access.host + "]" : access.host) + ":" +
         std::to_string(access.port) + access.path_prefix;
}

Result<OpenedAccess> OpenAccess(const Settings& settings,
                                const Environment& environment,
                                std::int64_t embedded_connections) {
  switch (ChooseAccess(settings, environment, kServiceAccount)) {
    case AccessKind::kEmbedded:
      return OpenEmbedded(settings, embedded_connections);
    case AccessKind::kInCluster:
      return Opened(InClusterAccess(kServiceAccount), {});
    case AccessKind::kKubeconfig:
      break;
  }
  std::vector<std::string> notes;
  auto source = KubeconfigAccess(settings.kubeconfig, settings.context, &notes);
  if (!source && settings.kubeconfig.empty()) {
    return Fail(source.error().code,
                source.error().message +
                    ", run in a pod with a service account, or try --embedded");
  }
  return Opened(std::move(source), std::move(notes));
}

}  // namespace tenure
