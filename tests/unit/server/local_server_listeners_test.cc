// Where the server listens, and what it says when it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/server/scene.h"

namespace tenure {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string WhyNot(Scene* scene) {
  const Result<void> started = scene->TryStart();
  return started ? "it started" : started.error().message;
}

unsigned ModeOf(const std::string& path) {
  struct stat found{};
  EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

TEST(LocalServerListeners, SocketsHaveTheirModesAndFoldersAreMade) {
  Scene scene;
  scene.options().control_mode = 0600;
  scene.options().control_group = std::to_string(getgid());
  scene.Start();
  EXPECT_EQ(ModeOf(scene.status_socket()), 0666U);
  EXPECT_EQ(ModeOf(scene.control_socket()), 0600U);
  EXPECT_EQ(ModeOf(scene.folder() + "/status"), 0755U);
}

TEST(LocalServerListeners, StoppingRemovesTheSockets) {
  Scene scene;
  scene.Start();
  Client client = scene.Status();
  scene.Stop();
  EXPECT_TRUE(client.ReadsEnd());
  EXPECT_FALSE(std::filesystem::exists(scene.status_socket()));
  EXPECT_FALSE(std::filesystem::exists(scene.control_socket()));
  scene.Start();
  EXPECT_EQ(StatusOf(scene.Status().Get("/v1/status")), 200);
}

TEST(LocalServerListeners, APodWhoseSocketIsGoneIsNotReadyAndSaysWhich) {
  Scene scene;
  std::vector<std::string> told;
  scene.options().on_refusal = [&told](const std::string& why) {
    told.push_back(why);
  };
  scene.Start();
  scene.Publish(Held(41));
  EXPECT_EQ(StatusOf(scene.Probe().Get("/readyz")), 200);
  std::filesystem::remove(scene.control_socket());
  for (int i = 0; i < 2; ++i) {
    const std::string reply = scene.Probe().Get("/readyz");
    EXPECT_EQ(StatusOf(reply), 503);
    EXPECT_THAT(BodyOf(reply),
                AllOf(HasSubstr("not ready: the control socket " +
                                scene.control_socket()),
                      HasSubstr("restart its container")));
  }
  EXPECT_EQ(StatusOf(scene.Probe().Get("/livez")), 200);
  // Somebody else's in its place is as bad.
  std::filesystem::rename(scene.status_socket(), scene.control_socket());
  EXPECT_THAT(
      BodyOf(scene.Probe().Get("/readyz")),
      AllOf(HasSubstr("the control socket"), HasSubstr("the status socket")));
  scene.Stop();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], HasSubstr(scene.control_socket()));
}

TEST(LocalServerListeners, StoppingBeforeStartingIsPossible) {
  Scene scene;
  auto server = LocalServer::Open(
      scene.options(), &scene.board(), &scene.loop(),
      [] { return At(Duration{0}); },
      [](const Moment&, bool) { return std::string(); });
  ASSERT_TRUE(server.has_value());
  (*server)->Stop();
  (*server)->Stop();
  EXPECT_FALSE(std::filesystem::exists(scene.status_socket()));
}

TEST(LocalServerListeners, EachCanBeLeftOut) {
  Scene scene;
  scene.options().status_socket = "";
  scene.options().control_socket = "";
  scene.options().status_tcp = false;
  scene.Start();
  EXPECT_EQ(scene.server().status_port(), 0);
  EXPECT_NE(scene.server().probe_port(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(scene.folder()));
}

TEST(LocalServerListeners, ATakenPortNamesItsHolderAndTheFlag) {
  Scene first;
  first.Start();
  Scene second;
  second.options().status_port = first.server().status_port();
  EXPECT_THAT(WhyNot(&second),
              AllOf(HasSubstr("127.0.0.1:" +
                              std::to_string(first.server().status_port())),
                    HasSubstr("in use by process " + std::to_string(getpid())),
                    HasSubstr("--status-port")));
  Scene third;
  third.options().probe_port = first.server().probe_port();
  EXPECT_THAT(WhyNot(&third), HasSubstr("--probe-port"));
  // Nothing was left half open.
  EXPECT_TRUE(std::filesystem::is_empty(third.folder()));
}

TEST(LocalServerListeners, ATakenSocketNamesItsHolderAndTheFlag) {
  Scene first;
  first.Start();
  Scene second;
  second.options().status_socket = first.status_socket();
  EXPECT_THAT(WhyNot(&second),
              AllOf(HasSubstr(first.status_socket()),
                    HasSubstr("by process " + std::to_string(getpid())),
                    HasSubstr("--status-socket")));
  Scene third;
  third.options().control_socket = first.control_socket();
  EXPECT_THAT(WhyNot(&third), HasSubstr("--control-socket"));
  EXPECT_EQ(StatusOf(first.Status().Get("/v1/status")), 200);
  EXPECT_FALSE(std::filesystem::exists(third.status_socket()));
}

TEST(LocalServerListeners, TheProbePortAnswersBothFamilies) {
  Scene scene;
  scene.Start();
  EXPECT_EQ(StatusOf(Client::Tcp(scene.server().probe_port()).Get("/startupz")),
            503);
  Client v6 = Client::Tcp6(scene.server().probe_port());
  if (v6.connected()) {
    EXPECT_EQ(StatusOf(v6.Get("/startupz")), 503);
  }
}

}  // namespace
}  // namespace tenure
