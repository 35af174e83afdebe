#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sidecar/kube/api_access.h"
#include "tests/unit/kube/scratch_folder.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class InClusterAccessTest : public testing::Test {
 protected:
  InClusterAccessTest() {
    ::setenv("KUBERNETES_SERVICE_HOST", "127.0.0.9", 1);
    ::setenv("KUBERNETES_SERVICE_PORT", "6443", 1);
    mount_.Write("token", "the-token\n");
    mount_.Write("ca.crt", "the CA");
    mount_.Write("namespace", "team");
  }
  ~InClusterAccessTest() override {
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    ::unsetenv("KUBERNETES_SERVICE_PORT");
  }

  std::string ErrorOfOpening() const {
    const auto source = InClusterAccess(mount_.Path(""));
    return source.has_value() ? "" : source.error().message;
  }

  const ScratchFolder mount_;
};

TEST_F(InClusterAccessTest, ReadsTheServiceAccountAndTheEnvironment) {
  const auto source = InClusterAccess(mount_.Path(""));
  ASSERT_TRUE(source.has_value()) << source.error().message;
  const auto access = (*source)->Current();
  EXPECT_TRUE(access->tls);
  EXPECT_FALSE(access->insecure);
  EXPECT_EQ(access->host, "127.0.0.9");
  EXPECT_EQ(access->verify_name, "127.0.0.9");
  EXPECT_EQ(access->port, 6443);
  EXPECT_THAT(access->addresses, ElementsAre("127.0.0.9"));
  EXPECT_EQ(access->bearer_token, "the-token");
  EXPECT_EQ(access->ca_pem, "the CA");
  EXPECT_EQ(access->default_namespace, "team");
}

TEST_F(InClusterAccessTest, TakesIpv6WithAndWithoutBrackets) {
  for (const char* const host : {"fd00::1", "[fd00::1]"}) {
    ::setenv("KUBERNETES_SERVICE_HOST", host, 1);
    const auto source = InClusterAccess(mount_.Path(""));
    ASSERT_TRUE(source.has_value()) << source.error().message;
    EXPECT_EQ((*source)->Current()->host, "fd00::1");
    EXPECT_EQ((*source)->Current()->verify_name, "fd00::1");
    EXPECT_THAT((*source)->Current()->addresses, ElementsAre("fd00::1"));
  }
}

TEST_F(InClusterAccessTest, RefreshReadsARotatedTokenAndCa) {
  const auto source = InClusterAccess(mount_.Path(""));
  ASSERT_TRUE(source.has_value());
  const auto before = (*source)->Current();
  mount_.Write("token", "rotated");
  mount_.Write("ca.crt", "another CA");
  (*source)->Refresh();
  EXPECT_TRUE(Eventually(
      [&] { return (*source)->Current()->bearer_token == "rotated"; }));
  EXPECT_EQ((*source)->Current()->ca_pem, "another CA");
  EXPECT_GT((*source)->Current()->tls_serial, before->tls_serial);
}

TEST_F(InClusterAccessTest, WorksWithoutANamespaceFile) {
  std::filesystem::remove(mount_.Path("namespace"));
  const auto source = InClusterAccess(mount_.Path(""));
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ((*source)->Current()->default_namespace, "");
}

TEST_F(InClusterAccessTest, SaysWhichVariableIsMissing) {
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_THAT(ErrorOfOpening(), AllOf(HasSubstr("KUBERNETES_SERVICE_HOST"),
                                      HasSubstr("--kubeconfig")));
  ::setenv("KUBERNETES_SERVICE_HOST", "x", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "https", 1);
  EXPECT_THAT(ErrorOfOpening(), HasSubstr("KUBERNETES_SERVICE_HOST and _PORT"));
}

TEST_F(InClusterAccessTest, SaysWhichFileIsWrong) {
  mount_.Write("token", "two words");
  EXPECT_THAT(ErrorOfOpening(), HasSubstr("/token: expected a bearer token"));
  std::filesystem::remove(mount_.Path("token"));
  EXPECT_THAT(ErrorOfOpening(), HasSubstr("/token: expected a readable file"));
  mount_.Write("token", "good");
  std::filesystem::remove(mount_.Path("ca.crt"));
  EXPECT_THAT(ErrorOfOpening(), HasSubstr("/ca.crt: expected"));
}

}  // namespace
}  // namespace tenure
