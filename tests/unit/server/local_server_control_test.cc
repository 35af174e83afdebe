// Requests that go to the loop, and what happens when it does not answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/server/scene.h"

namespace tenure {
namespace {

using ::testing::HasSubstr;
using Kind = ControlRequest::Kind;

constexpr char kBody[] = "{\"generation\":\"41\"}";

TEST(LocalServerControl, EachRouteReachesTheLoopWithItsNumber) {
  Scene scene({"billing", "demo"});
  scene.Start();
  scene.Publish(Held(41), 1);
  scene.loop().AnswerAlways(ControlReply{std::nullopt, 41});
  Client client = scene.Control();
  const std::vector<std::pair<std::string, Kind>> routes = {
      {"/v1/work?lease=demo", Kind::kWork},
      {"/v1/done?lease=demo", Kind::kDone},
      {"/v1/release?lease=demo", Kind::kRelease},
      {"/v1/run?lease=demo&run=night-1", Kind::kRun},
      {"/v1/floor?lease=demo", Kind::kFloor}};
  for (const auto& [path, kind] : routes) {
    const std::string reply = client.Post(path, kBody);
    EXPECT_EQ(StatusOf(reply), 200) << reply;
    const auto document = nlohmann::json::parse(BodyOf(reply));
    EXPECT_EQ(document["lease"], "demo");
    EXPECT_EQ(document["generation"], "41");
    EXPECT_EQ(document["remainingMs"]["toRenewBy"], 10'000);
    const ControlRequest last =
        scene.loop().WaitFor(static_cast<std::size_t>(kind) + 1).back();
    EXPECT_EQ(last.kind, kind);
    EXPECT_EQ(last.lease, 1U);
    EXPECT_EQ(last.generation, 41);
    EXPECT_EQ(last.run.id, kind == Kind::kRun ? "night-1" : "");
  }
}

TEST(LocalServerControl, TheLoopHearsOfWhoCarriesOutARunAndNobodyWaits) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Control();
  EXPECT_EQ(StatusOf(client.Get("/v1/status?run=night-1&by=7")), 200);
  const ControlRequest kept = scene.loop().WaitFor(1).back();
  EXPECT_EQ(kept.kind, Kind::kKeep);
  EXPECT_EQ(kept.run, (WorkRun{"night-1", "7"}));
  EXPECT_EQ(StatusOf(client.Get("/v1/status")), 200);
  EXPECT_EQ(scene.loop().WaitFor(1).size(), 1U);
}

TEST(LocalServerControl, TheLoopsRefusalIsPassedOn) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  scene.loop().AnswerAlways(
      ControlReply{Error{ErrorCode::kConflict, "work still runs"}, 41});
  const std::string reply = scene.Control().Post("/v1/release", kBody);
  EXPECT_EQ(StatusOf(reply), 409);
  EXPECT_EQ(BodyOf(reply), "work still runs\n");
}

TEST(LocalServerControl, NothingIsControlledOverTheStatusListeners) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  for (const char* path :
       {"/v1/work", "/v1/done", "/v1/release", "/v1/floor"}) {
    EXPECT_EQ(StatusOf(scene.Status().Post(path, kBody)), 404);
    EXPECT_EQ(StatusOf(scene.StatusTcp().Post(path, kBody)), 404);
    EXPECT_EQ(StatusOf(scene.Probe().Post(path, kBody)), 404);
  }
  EXPECT_TRUE(scene.loop().WaitFor(0).empty());
}

TEST(LocalServerControl, AClosedConnectionIsNotDone) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  scene.loop().AnswerAlways(ControlReply{std::nullopt, 41});
  Client client = scene.Control();
  EXPECT_EQ(StatusOf(client.Post("/v1/work", kBody)), 200);
  client.Close();
  // S10. Another request has gone through since: nothing came of the closing.
  EXPECT_EQ(StatusOf(scene.Control().Post("/v1/floor", kBody)), 200);
  const auto requests = scene.loop().WaitFor(2);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].kind, Kind::kFloor);
}

TEST(LocalServerControl, AWorkNoLongerCoveredIsRefusedAndGivenBack) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Control();
  client.Send("POST /v1/work?generation=41 HTTP/1.1\r\nHost: a\r\n\r\n");
  scene.loop().WaitFor(1);
  scene.SetNow(seconds(10));
  scene.loop().Answer(ControlReply{std::nullopt, 41});
  EXPECT_EQ(StatusOf(client.ReadReply()), 503);
  const auto requests = scene.loop().WaitFor(2);
  EXPECT_EQ(requests[1].kind, Kind::kDone);
  EXPECT_EQ(requests[1].generation, 41);
}

TEST(LocalServerControl, AStuckLoopDoesNotHoldUpTheTruth) {
  Scene scene;
  scene.options().waits.control = milliseconds(50);
  scene.Start();
  scene.Publish(Held(41));
  Client control = scene.Control();
  const std::string reply = control.Post("/v1/done", kBody);
  EXPECT_EQ(StatusOf(reply), 503);
  EXPECT_THAT(BodyOf(reply), HasSubstr("coordinator is not responding"));
  EXPECT_EQ(scene.Generation(), "41\n");
  scene.SetNow(seconds(10));
  EXPECT_EQ(scene.Generation(), "");
  EXPECT_EQ(StatusOf(scene.Status().Get("/v1/generation")), 503);
  EXPECT_EQ(StatusOf(scene.Probe().Get("/livez")), 503);
  scene.SetNow(milliseconds(14'850));
  EXPECT_EQ(StatusOf(scene.Status().Get("/v1/generation")), 409);
}

TEST(LocalServerControl, AFreshCheckWithoutAnAnswerSaysThatNothingChanged) {
  Scene scene;
  scene.options().waits.control = milliseconds(20);
  scene.Start();
  scene.Publish(Held(41));
  const std::string reply =
      scene.Status().Get("/v1/check?generation=41&fresh=true");
  EXPECT_EQ(StatusOf(reply), 503);
  EXPECT_THAT(BodyOf(reply), HasSubstr("nothing was changed"));
}

TEST(LocalServerControl, AWorkAnsweredTooLateIsGivenBack) {
  Scene scene;
  scene.options().waits.control = milliseconds(20);
  scene.Start();
  scene.Publish(Held(41));
  EXPECT_EQ(StatusOf(scene.Control().Post("/v1/work", kBody)), 503);
  scene.loop().Answer(ControlReply{std::nullopt, 41});
  const auto requests = scene.loop().WaitFor(2);
  EXPECT_EQ(requests[1].kind, Kind::kDone);
  EXPECT_EQ(requests[1].generation, 41);
}

TEST(LocalServerControl, ALateRefusalNeedsNoGivingBack) {
  Scene scene;
  scene.options().waits.control = milliseconds(20);
  scene.Start();
  scene.Publish(Held(41));
  EXPECT_EQ(StatusOf(scene.Control().Post("/v1/work", kBody)), 503);
  scene.loop().Answer(ControlReply{Error{ErrorCode::kConflict, "no"}, 0});
  EXPECT_EQ(StatusOf(scene.Control().Post("/v1/done", kBody)), 503);
  const auto requests = scene.loop().WaitFor(2);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].kind, Kind::kDone);
}

TEST(LocalServerControl, RequestsBehindOneThatWaitsKeepTheirOrder) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Control();
  client.Send(
      "POST /v1/work?generation=41 HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /v1/generation HTTP/1.1\r\nHost: a\r\n\r\n");
  scene.loop().WaitFor(1);
  scene.Publish(Held(42));
  scene.loop().Answer(ControlReply{std::nullopt, 41});
  EXPECT_EQ(StatusOf(client.ReadReply()), 409);
  EXPECT_EQ(BodyOf(client.ReadReply()), "42\n");
}

TEST(LocalServerControl, AFreshCheckAnswersFromTheBoardAfterTheRead) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.StatusTcp();
  client.Send(
      "GET /v1/check?generation=41&fresh=true HTTP/1.1\r\nHost: localhost\r\n"
      "\r\n");
  EXPECT_EQ(scene.loop().WaitFor(1)[0].kind, Kind::kFreshRead);
  scene.Publish(Standby("pod-b", 50));
  scene.loop().Answer(ControlReply{});
  EXPECT_EQ(StatusOf(client.ReadReply()), 409);

  client.Send(
      "GET /v1/check?generation=50&fresh=true HTTP/1.1\r\nHost: localhost\r\n"
      "\r\n");
  scene.loop().WaitFor(2);
  scene.Publish(Held(50));
  scene.loop().Answer(ControlReply{});
  EXPECT_EQ(BodyOf(client.ReadReply()), "50\n");
}

TEST(LocalServerControl, AFreshCheckThatFailedIsNotAYes) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  scene.loop().AnswerAlways(
      ControlReply{Error{ErrorCode::kDeadlineExceeded, "no answer"}, 0});
  const std::string reply =
      scene.Status().Get("/v1/check?generation=41&fresh=true");
  EXPECT_EQ(StatusOf(reply), 503);
  EXPECT_EQ(StatusOf(scene.Status().Get("/v1/check?generation=41")), 200);
}

TEST(LocalServerControl, ContinueIsSaidWhenABodyIsWaitedFor) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  scene.loop().AnswerAlways(ControlReply{std::nullopt, 41});
  Client client = scene.Control();
  client.Send(
      "POST /v1/done HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
      "Content-Length: 19\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send(kBody);
  EXPECT_EQ(StatusOf(client.ReadReply()), 200);
  // Sent with its body: nobody waits.
  EXPECT_EQ(StatusOf(client.Ask("POST /v1/done HTTP/1.1\r\nHost: a\r\n"
                                "Expect: 100-continue\r\n"
                                "Content-Length: 19\r\n\r\n" +
                                std::string(kBody))),
            200);
}

TEST(LocalServerControl, WhoAskedIsReported) {
  Scene scene;
  std::mutex mutex;
  std::condition_variable came;
  std::vector<ControlCall> calls;
  scene.options().on_control = [&](const ControlCall& call) {
    const std::lock_guard lock(mutex);
    calls.push_back(call);
    came.notify_all();
  };
  scene.Start();
  scene.Publish(Held(41));
  scene.loop().AnswerAlways(ControlReply{std::nullopt, 41});
  scene.Control().Post("/v1/floor", "{\"floor\":\"7\"}");
  std::unique_lock lock(mutex);
  ASSERT_TRUE(came.wait_for(lock, seconds(30), [&] { return !calls.empty(); }));
  EXPECT_EQ(calls[0].route, "floor");
  EXPECT_EQ(calls[0].lease, "demo");
  EXPECT_EQ(calls[0].generation, 7);
  EXPECT_EQ(calls[0].status, 200);
  EXPECT_EQ(calls[0].pid, getpid());
  EXPECT_EQ(calls[0].uid, getuid());
  EXPECT_EQ(calls[0].gid, getgid());
}

TEST(LocalServerControl, TheLoopMayAnswerAfterTheServerIsGone) {
  Scene scene;
  scene.Start();
  Client client = scene.Control();
  client.Send("POST /v1/work?generation=41 HTTP/1.1\r\nHost: a\r\n\r\n");
  scene.loop().WaitFor(1);
  scene.Stop();
  scene.loop().Answer(ControlReply{std::nullopt, 41});
  scene.Publish(Held(41));
  EXPECT_TRUE(client.ReadsEnd());
}

}  // namespace
}  // namespace tenure
