#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sidecar/kube/api_access.h"
#include "sidecar/kube/credential_text.h"
#include "tests/unit/kube/scratch_folder.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A kubeconfig whose only context has this cluster and this user.
std::string ConfigOf(const std::string& cluster, const std::string& user) {
  return "current-context: here\n"
         "contexts: [{name: here, context: {cluster: c, user: u, namespace: "
         "team}}]\n"
         "clusters: [{name: c, cluster: {" +
         cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

const std::string kServer =
    "server: 'https://127.0.0.1:6443', certificate-authority-data: Q0E=";

class KubeconfigAccessTest : public testing::Test {
 protected:
  ~KubeconfigAccessTest() override { ::unsetenv("KUBECONFIG"); }

  std::unique_ptr<AccessSource> Open(const std::string& text) {
    auto source = KubeconfigAccess(folder_.Write("config", text), "", &notes_);
    EXPECT_TRUE(source.has_value()) << source.error().message;
    return source.has_value() ? *std::move(source) : FixedAccess({});
  }
  std::string ErrorOf(const std::string& text) {
    const auto source =
        KubeconfigAccess(folder_.Write("config", text), "", &notes_);
    return source.has_value() ? "(none)" : source.error().message;
  }

  const ScratchFolder folder_;
  std::vector<std::string> notes_;
};

TEST_F(KubeconfigAccessTest, ReadsInlineData) {
  const auto source = Open(
      ConfigOf(kServer + ", tls-server-name: kube.test",
               "client-certificate-data: Q0VSVA==, client-key-data: S0VZ"));
  const auto access = source->Current();
  EXPECT_TRUE(access->tls);
  EXPECT_EQ(access->host, "127.0.0.1");
  EXPECT_EQ(access->port, 6443);
  EXPECT_EQ(access->verify_name, "kube.test");
  EXPECT_EQ(access->ca_pem, "CA");
  EXPECT_EQ(access->client_cert_pem, "CERT");
  EXPECT_EQ(access->client_key_pem, "KEY");
  EXPECT_EQ(access->default_namespace, "team");
  EXPECT_THAT(access->addresses, ElementsAre("127.0.0.1"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(KubeconfigAccessTest, PathsAreRelativeToTheFile) {
  folder_.Write("pki/ca.pem", "CA");
  folder_.Write("pki/token", "from-file\n");
  const auto source =
      Open(ConfigOf("server: 'https://127.0.0.1/prefix/', "
                    "certificate-authority: pki/ca.pem",
                    "token: inline, tokenFile: pki/token"));
  EXPECT_EQ(source->Current()->ca_pem, "CA");
  EXPECT_EQ(source->Current()->bearer_token, "from-file");
  EXPECT_EQ(source->Current()->path_prefix, "/prefix");
  EXPECT_EQ(source->Current()->verify_name, "127.0.0.1");
  folder_.Write("pki/token", "rotated");
  source->Refresh();
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->bearer_token == "rotated"; }));
}

TEST_F(KubeconfigAccessTest, AnEditedFileIsFollowedButNotItsCurrentContext) {
  const std::string text = ConfigOf(kServer, "token: one");
  const auto source = Open(text);
  folder_.Write("config", ConfigOf(kServer, "token: two"));
  source->Refresh();
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->bearer_token == "two"; }));
  // As `kubectl config use-context` does.
  folder_.Write("config", "current-context: elsewhere\n" +
                              ConfigOf(kServer, "token: three").substr(22));
  source->Refresh();
  EXPECT_TRUE(
      Eventually([&] { return source->Current()->bearer_token == "three"; }));
}

TEST_F(KubeconfigAccessTest, OfSeveralFilesTheFirstToNameAnEntryCounts) {
  const std::string one =
      folder_.Write("one",
                    "contexts: [{name: a, context: {cluster: c, user: u}}]\n"
                    "users: [{name: u, user: {token: first}}]\n");
  const std::string two = folder_.Write(
      "sub/two",
      "current-context: a\n"
      "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', "
      "certificate-authority: ca.pem}}]\n"
      "users: [{name: u, user: {token: second, tokenFile: missing}}]\n"
      "contexts: [{name: a, context: {cluster: x, namespace: y}}]\n");
  folder_.Write("sub/ca.pem", "CA of two");
  const std::string list = one + "::" + folder_.Path("missing") + ":" + two;
  ::setenv("KUBECONFIG", list.c_str(), 1);
  const auto source = KubeconfigAccess("", "", nullptr);
  ASSERT_TRUE(source.has_value()) << source.error().message;
  EXPECT_EQ((*source)->Current()->bearer_token, "first");
  EXPECT_EQ((*source)->Current()->ca_pem, "CA of two");
  EXPECT_EQ((*source)->Current()->default_namespace, "default");
}

TEST_F(KubeconfigAccessTest, AContextCanBeNamed) {
  const std::string path =
      folder_.Write("config", ConfigOf(kServer, "token: t") +
                                  "preferences: {}\nextra: [1, {x: y}]\n");
  EXPECT_TRUE(KubeconfigAccess(path, "here", nullptr).has_value());
  const auto source = KubeconfigAccess(path, "there", nullptr);
  ASSERT_FALSE(source.has_value());
  EXPECT_THAT(source.error().message, AllOf(HasSubstr("expected one of [here]"),
                                            HasSubstr("found \"there\"")));
}

TEST_F(KubeconfigAccessTest, AJsonFileIsAKubeconfigToo) {
  const auto source = Open(R"({"current-context": "a",
    "contexts": [{"name": "a", "context": {"cluster": "c"}}],
    "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:80"}}]})");
  EXPECT_FALSE(source->Current()->tls);
}

TEST_F(KubeconfigAccessTest, InsecureIsNotedAndNotMixedWithACa) {
  Open(ConfigOf("server: 'https://127.0.0.1', insecure-skip-tls-verify: true",
                "token: t"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("insecure-skip-tls-verify")));
  EXPECT_THAT(ErrorOf(ConfigOf(kServer + ", insecure-skip-tls-verify: true",
                               "token: t")),
              HasSubstr("found both"));
}

TEST_F(KubeconfigAccessTest, TakesAnHttpProxyWithItsPassword) {
  const auto source = Open(ConfigOf(
      kServer + ", proxy-url: 'http://me:p%40ss@127.0.0.2:3128'", "token: t"));
  EXPECT_EQ(source->Current()->proxy_host, "127.0.0.2");
  EXPECT_EQ(source->Current()->proxy_port, 3128);
  EXPECT_EQ(source->Current()->proxy_authorization,
            "Basic " + EncodeBase64("me:p@ss"));
  EXPECT_THAT(source->Current()->addresses, ElementsAre("127.0.0.2"));
  EXPECT_EQ(source->Current()->verify_name, "127.0.0.1");
  EXPECT_THAT(ErrorOf(ConfigOf(kServer + ", proxy-url: 'https://p:1'", "")),
              HasSubstr("cluster.proxy-url: expected an http:// proxy"));
  EXPECT_THAT(ErrorOf(ConfigOf(kServer + ", proxy-url: 'socks5://p:1'", "")),
              HasSubstr("cluster.proxy-url"));
}

TEST_F(KubeconfigAccessTest, ErrorsNameFileFieldExpectedAndFound) {
  const std::string file = folder_.Path("config") + ": ";
  const struct {
    std::string text;
    std::string error;
  } cases[] = {
      {"{", ":1:"},
      {std::string(100'000, '['), "expected a kubeconfig in YAML"},
      {"", file + "current-context: expected"},
      {"[]", "expected a mapping"},
      {"users: 7", file + "users: expected"},
      {"users: [7]", file + "users[]: expected a mapping"},
      {"users: [{name: u, user: []}]", file + "users[u].user: expected"},
      {"users: [{name: u}, {name: u}]", "expected a name used once"},
      {ConfigOf("server: [1]", ""), file + "clusters[c].cluster.server"},
      {ConfigOf("server: ''", ""),
       "clusters[c].cluster.server: expected a URL"},
      {ConfigOf("server: 'https://a:b@c'", ""), "no user info"},
      {ConfigOf("server: 'https://.'", ""), "cluster.server: expected the DNS"},
      {ConfigOf(kServer + ", tls-server-name: .", ""),
       "cluster.tls-server-name: expected the DNS name"},
      {ConfigOf(kServer + ", tls-server-name: \"api.good\\0x\"", ""),
       "cluster.tls-server-name: expected the DNS name"},
      {ConfigOf("server: 'https://127.0.0.1'", ""),
       "clusters[c].cluster.certificate-authority: expected the CA"},
      {ConfigOf("server: 'https://127.0.0.1', certificate-authority: x", ""),
       "clusters[c].cluster.certificate-authority: "},
      {ConfigOf("server: 'https://x', certificate-authority-data: '!'", ""),
       "certificate-authority-data: expected base64"},
      {ConfigOf(kServer + ", insecure-skip-tls-verify: maybe", ""),
       "insecure-skip-tls-verify: expected true or false"},
      {ConfigOf(kServer, "client-certificate-data: QQ=="), "found one of them"},
      {ConfigOf(kServer, "username: me, password: x"), "found password"},
      {ConfigOf(kServer, "auth-provider: {name: gcp}"), "found auth-provider"},
      {ConfigOf(kServer, "as: admin"), "found as,"},
      {ConfigOf(kServer, "token: 'a b'"), "users[u].user.token: expected"},
      {ConfigOf(kServer, "tokenFile: nowhere"), "users[u].user.tokenFile: "},
      {"current-context: x\ncontexts: [{name: x}]\n",
       "contexts[x].context.cluster: expected one of []"},
      {"current-context: \"a\\nb\"", "found \"a b\""},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_THAT(ErrorOf(text), HasSubstr(error)) << text.substr(0, 200);
  }
}

TEST_F(KubeconfigAccessTest, ABadEntryThatNobodyUsesIsNoError) {
  Open(
      "users: [{name: other, user: {username: me}}, {name: u, user: {token: "
      "t}}]\n" +
      ConfigOf(kServer, "").substr(0, ConfigOf(kServer, "").find("users:")));
}

TEST_F(KubeconfigAccessTest, ErrorsShowNoSecrets) {
  for (const std::string& text :
       {ConfigOf(kServer, "token: 'hunter2 hunter2'"),
        ConfigOf(kServer,
                 "client-key-data: hunter2!, client-certificate-data: "
                 "QQ=="),
        ConfigOf(kServer + ", proxy-url: 'http://me:hunter2@p:0'", ""),
        std::string("token: hunter2\n  hunter2: [hunter2")}) {
    EXPECT_THAT(ErrorOf(text), Not(HasSubstr("hunter2")));
  }
}

TEST_F(KubeconfigAccessTest, AMissingFileSaysWhereItLooked) {
  const auto source = KubeconfigAccess(folder_.Path("nowhere"), "", nullptr);
  ASSERT_FALSE(source.has_value());
  EXPECT_THAT(source.error().message,
              AllOf(HasSubstr("/nowhere"), HasSubstr("--kubeconfig")));
}

}  // namespace
}  // namespace tenure
