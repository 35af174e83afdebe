#include "sidecar/kube/exec_credential.h"

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "sidecar/kube/bounded_json.h"
#include "sidecar/kube/child_process.h"
#include "sidecar/kube/credential_text.h"
#include "sidecar/kube/micro_time.h"

namespace tenure {
namespace {

using nlohmann::json;

constexpr char kV1[] = "client.authentication.k8s.io/v1";
constexpr char kV1Beta1[] = "client.authentication.k8s.io/v1beta1";
constexpr std::chrono::seconds kPluginLimit{60};
constexpr std::size_t kMaxPluginOutput = 256 * 1024;

// The KUBERNETES_EXEC_INFO of the plugin.
std::string ExecInfo(const KubeExec& exec, const KubeCluster& cluster,
                     const std::string& ca_pem) {
  json info = {{"apiVersion", exec.api_version},
               {"kind", "ExecCredential"},
               {"spec", {{"interactive", false}}}};
  if (exec.provide_cluster_info) {
    json& told = info["spec"]["cluster"];
    told["server"] = cluster.server;
    if (!cluster.tls_server_name.empty()) {
      told["tls-server-name"] = cluster.tls_server_name;
    }
    if (cluster.insecure) told["insecure-skip-tls-verify"] = true;
    if (!ca_pem.empty()) {
      told["certificate-authority-data"] = EncodeBase64(ca_pem);
    }
    if (!cluster.proxy_url.empty()) told["proxy-url"] = cluster.proxy_url;
  }
  return info.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return "";
  return found->get<std::string>();
}

Result<void> CheckRequest(const KubeExec& exec) {
  const auto refused = [&](const std::string& why) {
    return Fail(ErrorCode::kInvalidArgument, exec.where + why);
  };
  if (exec.command.empty()) {
    return refused(".command: expected a program, found nothing; name it");
  }
  if (exec.api_version != kV1 && exec.api_version != kV1Beta1) {
    return refused(std::string(".apiVersion: expected ") + kV1 + " or " +
                   kV1Beta1 + ", found \"" + OneLine(exec.api_version, 60) +
                   "\"; update the plugin's entry");
  }
  if (exec.interactive_mode == "Always") {
    return refused(
        ".interactiveMode: expected Never or IfAvailable, found Always; Tenure "
        "has no terminal, use other credentials");
  }
  return {};
}

Result<ExecCredential> ReadCredential(const KubeExec& exec,
                                      const std::string& output) {
  const std::string where = exec.where + ": the answer of " + exec.command;
  const auto refused = [&](const std::string& why) {
    return Fail(ErrorCode::kInvalidArgument, where + why);
  };
  const auto answer = ParseBoundedJson(output);
  // The parser's message would show a token.
  if (!answer.has_value() || !answer->is_object()) {
    return refused(
        ": expected an ExecCredential in JSON, found something else; "
        "run it by hand to see");
  }
  if (Text(*answer, "kind") != "ExecCredential" ||
      Text(*answer, "apiVersion") != exec.api_version) {
    return refused(".apiVersion: expected ExecCredential of " +
                   exec.api_version + ", found " +
                   OneLine(Text(*answer, "kind"), 40) + " of " +
                   OneLine(Text(*answer, "apiVersion"), 60) +
                   "; set apiVersion to what the plugin speaks");
  }
  const auto status = answer->find("status");
  if (status == answer->end() || !status->is_object()) {
    return refused(
        ".status: expected a token or a client certificate, found "
        "nothing; is the plugin logged in?");
  }
  ExecCredential credential;
  credential.client_cert_pem = Text(*status, "clientCertificateData");
  credential.client_key_pem = Text(*status, "clientKeyData");
  const std::string token = Text(*status, "token");
  if (credential.client_cert_pem.empty() != credential.client_key_pem.empty()) {
    return refused(
        ".status: expected clientCertificateData and clientKeyData "
        "together, found one of them; update the plugin");
  }
  if (!token.empty() || credential.client_cert_pem.empty()) {
    auto clean = CleanToken(token, where + ".status.token");
    if (!clean.has_value()) return std::unexpected(clean.error());
    credential.token = *std::move(clean);
  }
  const std::string expires = Text(*status, "expirationTimestamp");
  if (!expires.empty()) {
    const auto time = ParseMicroTime(expires);
    if (!time.has_value()) {
      return refused(".status.expirationTimestamp: " + time.error().message);
    }
    credential.expires = *time;
  }
  return credential;
}

}  // namespace

Result<ExecCredential> RunCredentialPlugin(const KubeExec& exec,
                                           const KubeCluster& cluster,
                                           const std::string& ca_pem) {
  if (auto checked = CheckRequest(exec); !checked.has_value()) {
    return std::unexpected(checked.error());
  }
  ChildCommand command;
  command.command = exec.command;
  command.args = exec.args;
  command.env = exec.env;
  command.env.emplace_back("KUBERNETES_EXEC_INFO",
                           ExecInfo(exec, cluster, ca_pem));
  command.limit = kPluginLimit;
  command.max_output = kMaxPluginOutput;
  const auto end = RunChild(command);
  if (!end.has_value()) {
    std::string message = exec.where + ": " + end.error().message;
    if (end.error().code == ErrorCode::kNotFound) {
      message += "; install it or correct command";
      if (!exec.install_hint.empty()) {
        message += ": " + OneLine(exec.install_hint, 200);
      }
    }
    return Fail(ErrorCode::kUnavailable, std::move(message));
  }
  if (end->exit_code != 0) {
    return Fail(ErrorCode::kUnavailable,
                exec.where + ": expected " + exec.command +
                    " to give credentials, found exit code " +
                    std::to_string(end->exit_code) + ": " +
                    OneLine(end->errors, 200) + "; run it by hand to see");
  }
  return ReadCredential(exec, end->output);
}

}  // namespace tenure
