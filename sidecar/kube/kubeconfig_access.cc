#include <chrono>
#include <optional>
#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/kube/api_access.h"
#include "sidecar/kube/bounded_json.h"
#include "sidecar/kube/certificate_name.h"
#include "sidecar/kube/credential_text.h"
#include "sidecar/kube/exec_credential.h"
#include "sidecar/kube/kubeconfig.h"
#include "sidecar/kube/name_resolution.h"
#include "sidecar/kube/refreshing_access.h"
#include "sidecar/kube/server_url.h"

namespace tenure {
namespace {

// However often the server refuses them, credentials are not fetched from a
// plugin more often than this.
constexpr std::chrono::seconds kPluginSpacing{10};

// The file's bytes, or the decoded data, which wins as in kubectl. Empty where
// neither is given.
Result<std::string> Material(const std::string& where, const char* field,
                             const std::string& data, const std::string& file,
                             std::vector<std::string>* files) {
  if (!data.empty()) return DecodeBase64(data, where + "." + field + "-data");
  if (file.empty()) return "";
  files->push_back(file);
  auto text = ReadCredentialFile(file);
  if (text.has_value()) return text;
  return Fail(text.error().code, where + "." + field + ": " +
                                     text.error().message +
                                     "; correct the path or the file");
}

Result<void> TakeServer(const KubeCluster& cluster, ApiAccess* access) {
  auto url = ParseServerUrl(cluster.server, cluster.where + ".server");
  if (!url.has_value()) return std::unexpected(url.error());
  if (!url->user_info.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                cluster.where +
                    ".server: expected no user info in the URL, "
                    "found some; Kubernetes takes none");
  }
  access->tls = url->scheme == "https";
  access->host = url->host;
  access->port = url->port;
  access->path_prefix = url->path;
  auto name = cluster.tls_server_name.empty()
                  ? CertificateName(url->host, cluster.where + ".server")
                  : CertificateName(cluster.tls_server_name,
                                    cluster.where + ".tls-server-name");
  if (!name.has_value()) return std::unexpected(name.error());
  access->verify_name = *std::move(name);
  access->insecure = cluster.insecure;
  return {};
}

Result<void> TakeProxy(const KubeCluster& cluster, ApiAccess* access) {
  if (cluster.proxy_url.empty()) return {};
  const std::string where = cluster.where + ".proxy-url";
  auto url = ParseServerUrl(cluster.proxy_url, where);
  if (!url.has_value()) return std::unexpected(url.error());
  if (url->scheme != "http") {
    return Fail(ErrorCode::kInvalidArgument,
                where + ": expected an http:// proxy, found " + url->scheme +
                    "://; Tenure speaks CONNECT to http proxies only");
  }
  if (!access->tls) {
    return Fail(ErrorCode::kInvalidArgument,
                where +
                    ": expected an https:// server behind a proxy, found "
                    "http://; remove one of them");
  }
  access->proxy_host = url->host;
  access->proxy_port = url->port;
  if (!url->user_info.empty()) {
    access->proxy_authorization = "Basic " + EncodeBase64(url->user_info);
  }
  return {};
}

Result<void> TakeTrust(const KubeCluster& cluster, ApiAccess* access,
                       std::vector<std::string>* files) {
  auto ca = Material(cluster.where, "certificate-authority", cluster.ca_data,
                     cluster.ca_file, files);
  if (!ca.has_value()) return std::unexpected(ca.error());
  if (cluster.insecure && !ca->empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                cluster.where +
                    ": expected certificate-authority or "
                    "insecure-skip-tls-verify, found both; remove one");
  }
  if (access->tls && !cluster.insecure && ca->empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                cluster.where +
                    ".certificate-authority: expected the CA of an https:// "
                    "server, found nothing; name its file (the system's "
                    "certificates are not used)");
  }
  access->ca_pem = *std::move(ca);
  return {};
}

class KubeconfigLoader : public AccessLoader {
 public:
  KubeconfigLoader(std::vector<std::string> paths, std::string context)
      : paths_(std::move(paths)), context_(std::move(context)) {}

  Result<LoadedAccess> Load(bool renew) override;

 private:
  Result<void> TakeUser(const KubeUser& user, const KubeCluster& cluster,
                        bool renew, LoadedAccess* loaded);
  Result<void> TakeToken(const KubeUser& user, LoadedAccess* loaded);
  Result<void> TakeExec(const KubeExec& exec, const KubeCluster& cluster,
                        bool renew, LoadedAccess* loaded);
  bool PluginAnswerIsGood(const KubeExec& exec, bool renew) const;

  const std::vector<std::string> paths_;
  std::string context_;  // pinned at the first Load: see there
  std::optional<ExecCredential> plugin_answer_;
  KubeExec plugin_;  // that gave it
  Instant plugin_ran_;
};

template <typename T>
Result<T> Entry(const std::map<std::string, T>& entries,
                const std::string& name, const std::string& where) {
  const auto found = entries.find(name);
  if (found != entries.end()) return found->second;
  std::string known;
  for (const auto& [other, unused] : entries) {
    if (known.size() < 200)
      known += (known.empty() ? "" : ", ") + OneLine(other, 80);
  }
  return Fail(ErrorCode::kInvalidArgument,
              where + ": expected one of [" + known + "], found \"" +
                  OneLine(name, 80) + "\"; correct the name");
}

Result<LoadedAccess> KubeconfigLoader::Load(bool renew) {
  auto config = ReadKubeconfig(paths_);
  if (!config.has_value()) return std::unexpected(config.error());
  // `kubectl config use-context` must not move a running sidecar to another
  // cluster.
  if (context_.empty()) context_ = config->current_context;
  const std::string& file = config->files.front();
  if (context_.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                file +
                    ": current-context: expected a context's name, found "
                    "nothing; set it or give --context");
  }
  const auto context = Entry(config->contexts, context_, file + ": context");
  if (!context.has_value()) return std::unexpected(context.error());
  const auto cluster =
      Entry(config->clusters, context->cluster, context->where + ".cluster");
  if (!cluster.has_value()) return std::unexpected(cluster.error());
  KubeUser user;
  if (!context->user.empty()) {
    auto found = Entry(config->users, context->user, context->where + ".user");
    if (!found.has_value()) return std::unexpected(found.error());
    user = *std::move(found);
  }

  LoadedAccess loaded;
  loaded.files = config->files;
  loaded.access.default_namespace =
      context->name_space.empty() ? "default" : context->name_space;
  Result<void> done = TakeServer(*cluster, &loaded.access);
  if (done) done = TakeProxy(*cluster, &loaded.access);
  if (done) done = TakeTrust(*cluster, &loaded.access, &loaded.files);
  if (done) done = TakeUser(user, *cluster, renew, &loaded);
  if (!done) return std::unexpected(done.error());
  return loaded;
}

Result<void> KubeconfigLoader::TakeUser(const KubeUser& user,
                                        const KubeCluster& cluster, bool renew,
                                        LoadedAccess* loaded) {
  if (!user.unsupported.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                user.where +
                    ": expected token, tokenFile, a client "
                    "certificate or exec, found " +
                    user.unsupported +
                    ", which Kubernetes removed or Tenure does not speak; use "
                    "an exec plugin or a token");
  }
  ApiAccess& access = loaded->access;
  auto cert = Material(user.where, "client-certificate", user.client_cert_data,
                       user.client_cert_file, &loaded->files);
  if (!cert.has_value()) return std::unexpected(cert.error());
  auto key = Material(user.where, "client-key", user.client_key_data,
                      user.client_key_file, &loaded->files);
  if (!key.has_value()) return std::unexpected(key.error());
  if (cert->empty() != key->empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                user.where +
                    ": expected client-certificate and client-key "
                    "together, found one of them; add the other");
  }
  access.client_cert_pem = *std::move(cert);
  access.client_key_pem = *std::move(key);
  if (!user.token.empty() || !user.token_file.empty()) {
    return TakeToken(user, loaded);
  }
  if (user.exec.has_value()) {
    return TakeExec(*user.exec, cluster, renew, loaded);
  }
  return {};
}

Result<void> KubeconfigLoader::TakeToken(const KubeUser& user,
                                         LoadedAccess* loaded) {
  std::string where = user.where + ".token";
  std::string text = user.token;
  if (!user.token_file.empty()) {  // wins, because it can be renewed
    where = user.where + ".tokenFile";
    loaded->files.push_back(user.token_file);
    auto read = ReadCredentialFile(user.token_file);
    if (!read.has_value()) {
      return Fail(read.error().code, where + ": " + read.error().message +
                                         "; correct the path or the file");
    }
    text = *std::move(read);
  }
  auto token = CleanToken(text, where);
  if (!token.has_value()) return std::unexpected(token.error());
  loaded->access.bearer_token = *std::move(token);
  return {};
}

bool KubeconfigLoader::PluginAnswerIsGood(const KubeExec& exec,
                                          bool renew) const {
  if (!plugin_answer_.has_value() || plugin_ != exec) return false;
  const Moment now = ReadClocks();
  if (ShortestElapsed(plugin_ran_, now.instant) < kPluginSpacing) return true;
  if (renew) return false;
  const auto& expires = plugin_answer_->expires;
  return !expires.has_value() ||
         now.wall.since_epoch + kCredentialMargin < expires->since_epoch;
}

Result<void> KubeconfigLoader::TakeExec(const KubeExec& exec,
                                        const KubeCluster& cluster, bool renew,
                                        LoadedAccess* loaded) {
  if (!PluginAnswerIsGood(exec, renew)) {
    auto answer = RunCredentialPlugin(exec, cluster, loaded->access.ca_pem);
    if (!answer.has_value()) return std::unexpected(answer.error());
    plugin_answer_ = *std::move(answer);
    plugin_ = exec;
    plugin_ran_ = ReadClocks().instant;
  }
  loaded->access.bearer_token = plugin_answer_->token;
  if (!plugin_answer_->client_cert_pem.empty()) {
    loaded->access.client_cert_pem = plugin_answer_->client_cert_pem;
    loaded->access.client_key_pem = plugin_answer_->client_key_pem;
  }
  loaded->expires = plugin_answer_->expires;
  return {};
}

}  // namespace

Result<std::unique_ptr<AccessSource>> KubeconfigAccess(
    const std::string& path, const std::string& context,
    std::vector<std::string>* notes) {
  auto source = NewRefreshingAccess(
      std::make_unique<KubeconfigLoader>(KubeconfigPaths(path), context),
      ResolveHost, RefreshPace{});
  if (source.has_value() && notes != nullptr) {
    const auto access = (*source)->Current();
    if (access->insecure) {
      notes->push_back(
          "The kubeconfig sets insecure-skip-tls-verify: whoever answers for " +
          access->host + " is believed to be the API server");
    }
  }
  return source;
}

}  // namespace tenure
