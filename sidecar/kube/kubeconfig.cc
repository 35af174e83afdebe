#include "sidecar/kube/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>

#include "sidecar/kube/bounded_json.h"
#include "sidecar/kube/credential_text.h"

namespace tenure {
namespace {

// Reads typed members of one YAML mapping; keeps the first complaint.
class Section {
 public:
  // `joint` stands between `where` and a member's name in messages.
  Section(const YAML::Node& node, std::string where, std::string* complaint,
          const char* joint = ".")
      : node_(node),
        where_(std::move(where)),
        complaint_(complaint),
        joint_(joint) {
    if (Absent(node_) || node_.IsMap()) return;
    Complain("", "a mapping");
    node_ = YAML::Node();
  }

  const std::string& where() const { return where_; }
  bool Has(const char* key) const { return !Absent(Find(key)); }

  std::string Text(const char* key) const {
    const YAML::Node value = Find(key);
    if (Absent(value)) return "";
    if (value.IsScalar()) return value.Scalar();
    Complain(key, "a text");
    return "";
  }

  bool Flag(const char* key) const {
    const std::string text = Text(key);
    if (text == "true") return true;
    if (!text.empty() && text != "false") Complain(key, "true or false");
    return false;
  }

  // A path in the file is relative to the file.
  std::string Path(const char* key, const std::string& file) const {
    std::string text = Text(key);
    if (text.empty()) return text;
    return (std::filesystem::path(file).parent_path() / text).string();
  }

  YAML::Node Member(const char* key) const { return Find(key); }
  Section Inner(const char* key) const {
    return Section(Find(key), where_ + "." + key, complaint_);
  }

  std::vector<YAML::Node> List(const char* key) const {
    const YAML::Node value = Find(key);
    if (Absent(value)) return {};
    if (!value.IsSequence()) {
      Complain(key, "a list");
      return {};
    }
    return {value.begin(), value.end()};
  }

  void Complain(const std::string& key, const std::string& expected) const {
    if (!complaint_->empty()) return;
    *complaint_ = where_ + (key.empty() ? "" : joint_ + key) + ": expected " +
                  expected + ", found something else; correct the file";
  }

 private:
  static bool Absent(const YAML::Node& node) {
    return !node.IsDefined() || node.IsNull();
  }
  YAML::Node Find(const char* key) const {
    const YAML::Node& map = node_;  // the const look-up inserts nothing
    return Absent(map) ? YAML::Node() : map[key];
  }

  YAML::Node node_;
  std::string where_;
  std::string* complaint_;
  std::string joint_;
};

KubeCluster ReadCluster(const Section& cluster, const std::string& file) {
  return KubeCluster{.where = cluster.where(),
                     .server = cluster.Text("server"),
                     .ca_file = cluster.Path("certificate-authority", file),
                     .ca_data = cluster.Text("certificate-authority-data"),
                     .tls_server_name = cluster.Text("tls-server-name"),
                     .proxy_url = cluster.Text("proxy-url"),
                     .insecure = cluster.Flag("insecure-skip-tls-verify")};
}

KubeExec ReadExec(const Section& exec, const std::string& file,
                  std::string* complaint) {
  KubeExec read{.where = exec.where(),
                .api_version = exec.Text("apiVersion"),
                .command = exec.Text("command"),
                .args = {},
                .env = {},
                .install_hint = exec.Text("installHint"),
                .interactive_mode = exec.Text("interactiveMode"),
                .provide_cluster_info = exec.Flag("provideClusterInfo")};
  // As kubectl: a bare name is looked up in PATH, a path is the file's.
  if (read.command.find('/') != std::string::npos) {
    read.command = exec.Path("command", file);
  }
  for (const YAML::Node& arg : exec.List("args")) {
    if (!arg.IsScalar()) exec.Complain("args", "a list of texts");
    if (arg.IsScalar()) read.args.push_back(arg.Scalar());
  }
  for (const YAML::Node& entry : exec.List("env")) {
    const Section pair(entry, exec.where() + ".env[]", complaint);
    read.env.emplace_back(pair.Text("name"), pair.Text("value"));
  }
  return read;
}

KubeUser ReadUser(const Section& user, const std::string& file,
                  std::string* complaint) {
  KubeUser read{.where = user.where(),
                .client_cert_file = user.Path("client-certificate", file),
                .client_cert_data = user.Text("client-certificate-data"),
                .client_key_file = user.Path("client-key", file),
                .client_key_data = user.Text("client-key-data"),
                .token = user.Text("token"),
                .token_file = user.Path("tokenFile", file),
                .exec = std::nullopt,
                .unsupported = ""};
  for (const char* const key : {"auth-provider", "username", "password", "as",
                                "as-uid", "as-groups", "as-user-extra"}) {
    if (user.Has(key)) read.unsupported = key;
  }
  if (user.Has("exec")) {
    read.exec = ReadExec(user.Inner("exec"), file, complaint);
  }
  return read;
}

KubeContext ReadContext(const Section& context) {
  return KubeContext{.where = context.where(),
                     .cluster = context.Text("cluster"),
                     .user = context.Text("user"),
                     .name_space = context.Text("namespace")};
}

// Adds the entries of `list` that no file before has named.
template <typename T, typename Read>
void Merge(const Section& root, const char* list, const char* member,
           std::string* complaint, std::map<std::string, T>* merged,
           const Read& read) {
  std::map<std::string, T> added;
  for (const YAML::Node& node : root.List(list)) {
    const std::string where = root.where() + ": " + list;
    const Section entry(node, where + "[]", complaint);
    const std::string name = entry.Text("name");
    const std::string path = where + "[" + OneLine(name, 80) + "]." + member;
    if (added.contains(name)) {
      Section(YAML::Node(), path, complaint).Complain("", "a name used once");
    }
    added.emplace(name, read(Section(entry.Member(member), path, complaint)));
  }
  merged->merge(added);
}

std::string MergeFile(const std::string& file, const std::string& text,
                      Kubeconfig* config) {
  std::string complaint;
  try {
    const Section root(YAML::Load(text), file, &complaint, ": ");
    if (config->current_context.empty()) {
      config->current_context = root.Text("current-context");
    }
    Merge(root, "clusters", "cluster", &complaint, &config->clusters,
          [&](const Section& s) { return ReadCluster(s, file); });
    Merge(root, "users", "user", &complaint, &config->users,
          [&](const Section& s) { return ReadUser(s, file, &complaint); });
    Merge(root, "contexts", "context", &complaint, &config->contexts,
          [&](const Section& s) { return ReadContext(s); });
  } catch (const YAML::Exception& error) {
    if (!complaint.empty()) return complaint;
    // The parser's own text may show what it read; the place is enough.
    return file + ":" + std::to_string(error.mark.line + 1) + ":" +
           std::to_string(error.mark.column + 1) +
           ": expected a kubeconfig in YAML, found a syntax error; correct "
           "the file";
  }
  return complaint;
}

}  // namespace

std::vector<std::string> KubeconfigPaths(const std::string& path) {
  if (!path.empty()) return {path};
  std::vector<std::string> paths;
  const std::string list = EnvironmentVariable("KUBECONFIG");
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) paths.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!paths.empty()) return paths;
  return {EnvironmentVariable("HOME") + "/.kube/config"};
}

Result<Kubeconfig> ReadKubeconfig(const std::vector<std::string>& paths) {
  Kubeconfig config;
  for (const std::string& path : paths) {
    const auto text = ReadCredentialFile(path);
    if (!text.has_value()) {
      if (text.error().code == ErrorCode::kNotFound) continue;
      return std::unexpected(text.error());
    }
    config.files.push_back(path);
    const std::string complaint = MergeFile(path, *text, &config);
    if (!complaint.empty()) {
      return Fail(ErrorCode::kInvalidArgument, complaint);
    }
  }
  if (!config.files.empty()) return config;
  std::string looked;
  for (const std::string& path : paths) {
    looked += (looked.empty() ? "" : ", ") + path;
  }
  return Fail(ErrorCode::kNotFound,
              "expected a kubeconfig at " + looked +
                  ", found none; set KUBECONFIG or give --kubeconfig");
}

}  // namespace tenure
