// Kubeconfig: the kubeconfig files, merged as kubectl merges them: of a name
// that several files define, the first file's entry counts, whole.
//
// Thread safety: values and pure functions that read files: the refresher
// thread only (S13).
#ifndef TENURE_KUBE_KUBECONFIG_H_
#define TENURE_KUBE_KUBECONFIG_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"

namespace tenure {

// In each: `where` is "FILE: clusters[NAME].cluster", for messages; file paths
// are absolute or relative to the working directory, not to the file.
struct KubeCluster {
  std::string where;
  std::string server;
  std::string ca_file;
  std::string ca_data;  // base64
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure = false;
};

struct KubeExec {
  std::string where;
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  std::string interactive_mode;
  bool provide_cluster_info = false;

  friend bool operator==(const KubeExec&, const KubeExec&) = default;
};

struct KubeUser {
  std::string where;
  std::string client_cert_file;
  std::string client_cert_data;  // base64
  std::string client_key_file;
  std::string client_key_data;  // base64
  std::string token;
  std::string token_file;
  std::optional<KubeExec> exec;
  // A field that Tenure refuses to do without: auth-provider, username, ...;
  // an error only where a context uses the entry.
  std::string unsupported;
};

struct KubeContext {
  std::string where;
  std::string cluster;
  std::string user;
  std::string name_space;
};

struct Kubeconfig {
  std::vector<std::string> files;  // those that exist
  std::string current_context;
  std::map<std::string, KubeCluster> clusters;
  std::map<std::string, KubeUser> users;
  std::map<std::string, KubeContext> contexts;
};

// The files to read: `path`; else those of KUBECONFIG; else ~/.kube/config.
std::vector<std::string> KubeconfigPaths(const std::string& path);

// A missing file is passed over, as by kubectl. Errors: kNotFound if none is
// there, kUnavailable, kInvalidArgument; never with a secret in them.
Result<Kubeconfig> ReadKubeconfig(const std::vector<std::string>& paths);

}  // namespace tenure

#endif  // TENURE_KUBE_KUBECONFIG_H_
