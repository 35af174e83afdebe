// The faults of /faults, each as a client meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "sidecar/base/check.h"
#include "sidecar/embedded/bounded_server.h"
#include "tests/unit/embedded/api_fixture.h"
#include "tests/unit/embedded/loopback_client.h"

namespace tenure::embedded {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr milliseconds kLong{30'000};
constexpr milliseconds kShort{100};
const std::string kLeases = kLeasesPath;
const std::string kMerge = "Content-Type: application/merge-patch+json\r\n";

class ServerFaultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = EmbeddedServer::Open({.faults = true});
    CHECK(server.has_value());
    server_ = std::move(*server);
    server_->Start();
    control_ = std::make_unique<LoopbackClient>(server_->port());
    control_->Call("POST", kLeases, R"({"metadata":{"name":"a"}})");
  }

  void Post(const std::string& fault) {
    const HttpReply reply = control_->Call("POST", "/faults", fault);
    ASSERT_EQ(reply.code, 201) << reply.body;
  }

  std::string Patch(int transitions) {
    return R"({"spec":{"leaseTransitions":)" + std::to_string(transitions) +
           "}}";
  }

  // As it is stored, asked on a connection no fault of these tests matches.
  int Stored() {
    return control_->Call("GET", kLeases)
        .json()["items"][0]["spec"]
        .value("leaseTransitions", 0);
  }

  std::unique_ptr<EmbeddedServer> server_;
  std::unique_ptr<LoopbackClient> control_;
};

TEST_F(ServerFaultsTest, ADelayBeforeHoldsTheWriteBack) {
  Post(
      R"({"match":{"verb":"patch"},"action":"delay","delayMs":300,"count":1})");
  LoopbackClient client(server_->port());
  const auto before = std::chrono::steady_clock::now();
  client.SendRequest("PATCH", kLeases + "/a", Patch(1), kMerge);
  EXPECT_EQ(client.ReadReply().code, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(300));
}

TEST_F(ServerFaultsTest, ADelayAfterHoldsBackOnlyTheAnswer) {
  Post(R"({"match":{"verb":"patch"},"action":"delay","delayMs":600000,)"
       R"("applied":true})");
  LoopbackClient client(server_->port());
  client.SendRequest("PATCH", kLeases + "/a", Patch(1), kMerge);
  while (Stored() != 1) {
  }
  EXPECT_EQ(client.WaitEnd(kShort), End::kOpen);
}

TEST_F(ServerFaultsTest, AFailureBeforeLeavesTheLeaseAlone) {
  Post(R"({"match":{"verb":"patch"},"action":"fail","status":429,)"
       R"("retryAfterSeconds":7,"count":1})");
  LoopbackClient client(server_->port());
  const HttpReply reply =
      client.Call("PATCH", kLeases + "/a", Patch(1), kMerge);
  EXPECT_EQ(reply.code, 429);
  EXPECT_THAT(reply.head, HasSubstr("Retry-After: 7\r\n"));
  EXPECT_EQ(Stored(), 0);
  EXPECT_EQ(client.Call("PATCH", kLeases + "/a", Patch(1), kMerge).code, 200);
}

TEST_F(ServerFaultsTest, AFailureAfterHidesAWriteThatHappened) {
  Post(R"({"match":{"verb":"patch","name":"a"},"action":"fail","status":504,)"
       R"("applied":true})");
  LoopbackClient client(server_->port());
  EXPECT_EQ(client.Call("PATCH", kLeases + "/a", Patch(1), kMerge).code, 504);
  EXPECT_EQ(Stored(), 1);
}

TEST_F(ServerFaultsTest, ACloseBeforeDropsTheRequest) {
  Post(R"({"match":{"verb":"patch"},"action":"close"})");
  LoopbackClient client(server_->port());
  client.SendRequest("PATCH", kLeases + "/a", Patch(1), kMerge);
  EXPECT_EQ(client.WaitEnd(kLong), End::kClosed);
  EXPECT_EQ(Stored(), 0);
}

TEST_F(ServerFaultsTest, ACloseAfterDropsTheAnswer) {
  Post(R"({"match":{"verb":"patch"},"action":"close","applied":true})");
  LoopbackClient client(server_->port());
  client.SendRequest("PATCH", kLeases + "/a", Patch(1), kMerge);
  EXPECT_EQ(client.WaitEnd(kLong), End::kClosed);
  EXPECT_EQ(Stored(), 1);
}

TEST_F(ServerFaultsTest, ACloseCanBeAReset) {
  Post(R"({"match":{"verb":"patch"},"action":"close","applied":true,)"
       R"("reset":true})");
  LoopbackClient client(server_->port());
  client.SendRequest("PATCH", kLeases + "/a", Patch(1), kMerge);
  EXPECT_EQ(client.WaitEnd(kLong), End::kReset);
  EXPECT_EQ(Stored(), 1);
}

TEST_F(ServerFaultsTest, SilenceAnswersNeverAndKeepsTheConnection) {
  Post(R"({"match":{"verb":"patch"},"action":"silence","count":1})");
  Post(R"({"match":{"verb":"patch"},"action":"silence","applied":true,)"
       R"("count":1})");
  LoopbackClient first(server_->port()), second(server_->port());
  first.SendRequest("PATCH", kLeases + "/a", Patch(1), kMerge);
  EXPECT_EQ(first.WaitEnd(kShort), End::kOpen);
  EXPECT_EQ(Stored(), 0);
  second.SendRequest("PATCH", kLeases + "/a", Patch(2), kMerge);
  while (Stored() != 2) {
  }
  EXPECT_EQ(second.WaitEnd(kShort), End::kOpen);
}

TEST_F(ServerFaultsTest, AStaleReadAnswersFromThePast) {
  control_->Call("PATCH", kLeases + "/a", Patch(1), kMerge);
  control_->Call("PATCH", kLeases + "/a", Patch(2), kMerge);
  Post(R"({"match":{"verb":"get"},"action":"stale","steps":2,"count":1})");
  const nlohmann::json old = control_->Call("GET", kLeases + "/a").json();
  EXPECT_FALSE(old["spec"].contains("leaseTransitions"));
  EXPECT_EQ(
      control_->Call("GET", kLeases + "/a").json()["spec"]["leaseTransitions"],
      2);
  Post(R"({"match":{"verb":"list"},"action":"stale","count":1})");
  EXPECT_EQ(Stored(), 1);
  EXPECT_EQ(Stored(), 2);
}

TEST_F(ServerFaultsTest, AFrozenWatchIsSilentUntilThawedAndLosesNothing) {
  LoopbackClient watcher(server_->port());
  watcher.SendRequest("GET",
                      kLeases + "?watch=1&fieldSelector=metadata.name=a");
  watcher.ReadHead();
  EXPECT_EQ(watcher.ReadEvent()["type"], "ADDED");
  Post(R"({"match":{"verb":"watch","name":"a"},"action":"freezeWatch"})");
  control_->Call("PATCH", kLeases + "/a", Patch(1), kMerge);
  control_->Call("PATCH", kLeases + "/a", Patch(2), kMerge);
  EXPECT_EQ(watcher.WaitEnd(kShort), End::kOpen);
  control_->Call("DELETE", "/faults");
  EXPECT_EQ(watcher.ReadEvent()["object"]["spec"]["leaseTransitions"], 1);
  EXPECT_EQ(watcher.ReadEvent()["object"]["spec"]["leaseTransitions"], 2);
}

TEST_F(ServerFaultsTest, AWatchCanBeRefusedAtItsOpening) {
  Post(R"({"match":{"verb":"watch"},"action":"fail","status":500,"count":1})");
  LoopbackClient watcher(server_->port());
  EXPECT_EQ(watcher.Call("GET", kLeases + "?watch=1").code, 500);
}

TEST_F(ServerFaultsTest, ACreationIsFoundByTheNameInItsBody) {
  Post(
      R"({"match":{"verb":"create","name":"b"},"action":"fail","status":500})");
  LoopbackClient client(server_->port());
  EXPECT_EQ(client.Call("POST", kLeases, R"({"metadata":{"name":"c"}})").code,
            201);
  EXPECT_EQ(client.Call("POST", kLeases, R"({"metadata":{"name":"b"}})").code,
            500);
}

TEST_F(ServerFaultsTest, FaultsSpareEverythingButLeases) {
  Post(R"({"action":"close"})");
  EXPECT_EQ(control_->Call("GET", "/version").code, 200);
  EXPECT_EQ(control_->Call("GET", "/faults").code, 200);
  EXPECT_EQ(control_->Call("DELETE", "/faults").json()["removed"], 1);
}

}  // namespace
}  // namespace tenure::embedded
