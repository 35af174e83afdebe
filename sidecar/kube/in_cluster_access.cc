#include <utility>

#include "sidecar/kube/api_access.h"
#include "sidecar/kube/certificate_name.h"
#include "sidecar/kube/credential_text.h"
#include "sidecar/kube/name_resolution.h"
#include "sidecar/kube/refreshing_access.h"
#include "sidecar/kube/server_url.h"

namespace tenure {
namespace {

class InClusterLoader : public AccessLoader {
 public:
  InClusterLoader(ServerUrl server, std::string mount)
      : server_(std::move(server)), mount_(std::move(mount)) {}

  Result<LoadedAccess> Load(bool /*renew*/) override {
    const std::string token_file = mount_ + "/token";
    const std::string ca_file = mount_ + "/ca.crt";
    const std::string namespace_file = mount_ + "/namespace";
    LoadedAccess loaded;
    loaded.files = {token_file, ca_file};
    ApiAccess& access = loaded.access;
    access.host = server_.host;
    access.port = server_.port;
    auto expected = CertificateName(server_.host, "KUBERNETES_SERVICE_HOST");
    if (!expected.has_value()) return std::unexpected(expected.error());
    access.verify_name = *std::move(expected);

    const auto token = Read(token_file);
    if (!token.has_value()) return std::unexpected(token.error());
    auto clean = CleanToken(*token, token_file);
    if (!clean.has_value()) return std::unexpected(clean.error());
    access.bearer_token = *std::move(clean);

    auto ca = Read(ca_file);
    if (!ca.has_value()) return std::unexpected(ca.error());
    access.ca_pem = *std::move(ca);

    // Absent where the volume is projected without it; configuration names the
    // namespace then.
    if (auto name = ReadCredentialFile(namespace_file); name.has_value()) {
      auto trimmed = CleanToken(*name, namespace_file);
      if (!trimmed.has_value()) return std::unexpected(trimmed.error());
      access.default_namespace = *std::move(trimmed);
    }
    return loaded;
  }

 private:
  static Result<std::string> Read(const std::string& file) {
    auto text = ReadCredentialFile(file);
    if (text.has_value()) return text;
    return Fail(text.error().code,
                text.error().message +
                    "; mount a service account token there, or give "
                    "--kubeconfig outside a cluster");
  }

  const ServerUrl server_;
  const std::string mount_;
};

Result<ServerUrl> ServerOfEnvironment() {
  std::string host = EnvironmentVariable("KUBERNETES_SERVICE_HOST");
  const std::string port = EnvironmentVariable("KUBERNETES_SERVICE_PORT");
  for (const auto& [name, value] :
       {std::pair{"KUBERNETES_SERVICE_HOST", host},
        std::pair{"KUBERNETES_SERVICE_PORT", port}}) {
    if (!value.empty()) continue;
    return Fail(ErrorCode::kUnavailable,
                std::string(name) +
                    ": expected in the environment of a pod, found nothing; "
                    "run in a pod, or give --kubeconfig");
  }
  if (host.find(':') != std::string::npos && !host.starts_with('[')) {
    host = "[" + host + "]";
  }
  return ParseServerUrl("https://" + host + ":" + port,
                        "KUBERNETES_SERVICE_HOST and _PORT");
}

}  // namespace

Result<std::unique_ptr<AccessSource>> InClusterAccess(
    const std::string& mount) {
  auto server = ServerOfEnvironment();
  if (!server.has_value()) return std::unexpected(server.error());
  return NewRefreshingAccess(
      std::make_unique<InClusterLoader>(*std::move(server), mount), ResolveHost,
      RefreshPace{});
}

}  // namespace tenure
