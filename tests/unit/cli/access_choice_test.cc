#include "sidecar/cli/access_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sidecar/config/load_settings.h"
#include "sidecar/config/settings.h"
#include "sidecar/kube/api_access.h"

namespace tenure {
namespace {

class ChooseAccessTest : public testing::Test {
 protected:
  ChooseAccessTest() {
    std::filesystem::create_directories(mount_);
    std::ofstream(mount_ + "/token") << "t";
  }
  ~ChooseAccessTest() override { std::filesystem::remove_all(mount_); }

  const std::string mount_ =
      testing::TempDir() + "/choose_access." +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  const Environment pod_{{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}};
  Settings settings_;
};

TEST_F(ChooseAccessTest, APodUsesItsServiceAccount) {
  EXPECT_EQ(ChooseAccess(settings_, pod_, mount_), AccessKind::kInCluster);
}

TEST_F(ChooseAccessTest, WithoutATokenOrOutsideAPodItIsAKubeconfig) {
  EXPECT_EQ(ChooseAccess(settings_, pod_, "/nonexistent"),
            AccessKind::kKubeconfig);
  EXPECT_EQ(ChooseAccess(settings_, {}, mount_), AccessKind::kKubeconfig);
  EXPECT_EQ(ChooseAccess(settings_, {{"KUBERNETES_SERVICE_HOST", ""}}, mount_),
            AccessKind::kKubeconfig);
}

TEST_F(ChooseAccessTest, WhatWasNamedWins) {
  settings_.kubeconfig = "x";
  EXPECT_EQ(ChooseAccess(settings_, pod_, mount_), AccessKind::kKubeconfig);
  settings_ = Settings{};
  settings_.context = "x";
  EXPECT_EQ(ChooseAccess(settings_, pod_, mount_), AccessKind::kKubeconfig);
  settings_.embedded = true;
  EXPECT_EQ(ChooseAccess(settings_, pod_, mount_), AccessKind::kEmbedded);
}

TEST(DescribeAccess, IsAUrl) {
  ApiAccess access;
  access.host = "fd00::1";
  access.port = 6443;
  access.path_prefix = "/k8s";
  EXPECT_EQ(DescribeAccess(access), "https://[fd00::1]:6443/k8s");
  access.tls = false;
  access.host = "api.example";
  EXPECT_EQ(DescribeAccess(access), "http://api.example:6443/k8s");
}

TEST(OpenAccess, WithoutAKubeconfigEveryWayIsTold) {
  // Read by KubeconfigAccess itself.
  ASSERT_EQ(setenv("KUBECONFIG", "/nonexistent/config", 1), 0);
  const auto opened = OpenAccess({}, {}, 0);
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message, testing::HasSubstr("--kubeconfig"));
  EXPECT_THAT(opened.error().message, testing::HasSubstr("--embedded"));
}

TEST(OpenAccess, AnEmbeddedServerIsReachedOnLoopback) {
  Settings settings;
  settings.embedded = true;
  const auto opened = OpenAccess(settings, {}, 8);
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  const auto access = opened->source->Current();
  EXPECT_EQ(access->port, opened->embedded->port());
  EXPECT_FALSE(access->tls);
  EXPECT_THAT(access->addresses, testing::ElementsAre("127.0.0.1"));
  opened->embedded->Stop();
}

}  // namespace
}  // namespace tenure
