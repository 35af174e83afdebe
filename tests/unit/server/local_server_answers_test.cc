// What a running server answers: over every listener, at the moment of asking.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/server/scene.h"

namespace tenure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kGet[] =
    "GET /v1/generation HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST(LocalServerAnswers, TheSameOverUnixAndTcp) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  EXPECT_EQ(BodyOf(scene.Status().Get("/v1/generation")), "41\n");
  EXPECT_EQ(BodyOf(scene.StatusTcp().Get("/v1/generation")), "41\n");
  EXPECT_EQ(BodyOf(scene.Control().Get("/v1/generation")), "41\n");
  Client v6 = Client::Tcp6(scene.server().status_port());
  if (v6.connected()) {
    EXPECT_EQ(BodyOf(v6.Get("/v1/generation")), "41\n");
  }
}

TEST(LocalServerAnswers, AnUnsettledBoardIsUncertain) {
  Scene scene;
  scene.Start();
  EXPECT_EQ(StatusOf(scene.Status().Get("/v1/generation")), 503);
  EXPECT_EQ(StatusOf(scene.Probe().Get("/startupz")), 503);
  EXPECT_EQ(StatusOf(scene.Probe().Get("/readyz")), 503);
}

TEST(LocalServerAnswers, TimeAloneTakesTheGenerationAwayOnOneConnection) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Status();
  EXPECT_EQ(StatusOf(client.Get("/v1/generation")), 200);
  scene.SetNow(seconds(10) - Duration{1});
  EXPECT_EQ(StatusOf(client.Get("/v1/generation")), 200);
  scene.SetNow(seconds(10));
  EXPECT_EQ(StatusOf(client.Get("/v1/generation")), 503);
  scene.SetNow(milliseconds(14'850));
  EXPECT_EQ(StatusOf(client.Get("/v1/generation")), 409);
}

// SIGSTOP between the look at the clock and the socket, then SIGCONT.
TEST(LocalServerAnswers, AnAnswerThatAStopOvertookIsComputedAgain) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Status();
  for (const char* path :
       {"/v1/generation", "/v1/status", "/v1/check?generation=41"}) {
    scene.SetNow({});
    const std::string before = client.Get(path);
    scene.SetNowAfterLooks(1, seconds(15));
    const std::string after = client.Get(path);
    EXPECT_EQ(StatusOf(before), 200) << path;
    EXPECT_THAT(after, Not(HasSubstr("\"held\""))) << path;
    EXPECT_THAT(BodyOf(after), Not(StartsWith("41"))) << path;
  }
}

TEST(LocalServerAnswers, PipelinedRequestsAreAnsweredInOrder) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.StatusTcp();
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    requests += kGet;
    requests += "GET /missing HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(StatusOf(client.ReadReply()), 200) << i;
    ASSERT_EQ(StatusOf(client.ReadReply()), 404) << i;
  }
}

TEST(LocalServerAnswers, ARequestIsAnsweredWhereverItIsCut) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Status();
  const std::string request = kGet;
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    client.Send(request.substr(0, cut));
    client.Send(request.substr(cut));
    ASSERT_EQ(BodyOf(client.ReadReply()), "41\n") << cut;
  }
}

TEST(LocalServerAnswers, HeadHasNoBody) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Status();
  const std::string head = client.Ask(
      "HEAD /v1/generation HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
  EXPECT_THAT(head, HasSubstr("Content-Length: 3\r\n"));
  // The next reply begins where the body would have been.
  EXPECT_THAT(client.Get("/v1/generation"), StartsWith("HTTP/1.1 200"));
  const std::string watch =
      client.Ask("HEAD /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
  EXPECT_THAT(watch, HasSubstr("text/event-stream"));
  EXPECT_EQ(StatusOf(client.Get("/v1/generation")), 200);
}

TEST(LocalServerAnswers, ClosesWhenTheClientWishesIt) {
  Scene scene;
  scene.Start();
  Client client = scene.Status();
  client.Send(
      "GET /v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: "
      "close\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("Connection: close"));
  Client old = scene.Status();
  old.Send("GET /v1/status HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.ReadToEnd(), HasSubstr("\"lease\":\"demo\""));
}

TEST(LocalServerAnswers, AClientThatStoppedSendingIsAnsweredAndClosed) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.StatusTcp();
  client.Send(kGet);
  client.Send(kGet);
  client.CloseSending();
  EXPECT_EQ(BodyOf(client.ReadReply()), "41\n");
  EXPECT_EQ(BodyOf(client.ReadReply()), "41\n");
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(LocalServerAnswers, SeveralLeasesAreToldApart) {
  Scene scene({"billing", "demo"});
  scene.Start();
  scene.Publish(Held(41), 0);
  scene.Publish(Standby("pod-b", 12), 1);
  Client client = scene.Status();
  EXPECT_EQ(BodyOf(client.Get("/v1/generation?lease=billing")), "41\n");
  EXPECT_EQ(StatusOf(client.Get("/v1/generation?lease=demo")), 409);
  EXPECT_EQ(StatusOf(client.Get("/v1/generation")), 400);
  EXPECT_EQ(StatusOf(client.Get("/v1/generation?lease=x")), 404);
  const auto all = nlohmann::json::parse(BodyOf(client.Get("/v1/status")));
  EXPECT_EQ(all["leases"].size(), 2U);
  EXPECT_EQ(StatusOf(scene.Probe().Get("/readyz")), 200);
}

TEST(LocalServerAnswers, ProbesAreAnsweredFromMemory) {
  Scene scene;
  scene.SetMetrics("tenure_held 1\n");
  scene.Start();
  scene.Publish(Held(41));
  scene.board().Beat(At(Duration{0}).instant);
  Client probe = scene.Probe();
  // The kubelet dials the pod's address: any Host is right here.
  const std::string host = "Host: 10.1.2.3:7422\r\n";
  EXPECT_EQ(BodyOf(probe.Get("/startupz", host)), "started\n");
  EXPECT_EQ(BodyOf(probe.Get("/readyz", host)), "ready\n");
  EXPECT_EQ(BodyOf(probe.Get("/livez", host)), "alive\n");
  const std::string text = probe.Get("/metrics", host);
  EXPECT_EQ(BodyOf(text), "tenure_held 1\n");
  EXPECT_THAT(text, HasSubstr("text/plain; version=0.0.4"));
  const std::string open =
      probe.Get("/metrics", host + "Accept: application/openmetrics-text\r\n");
  EXPECT_EQ(BodyOf(open), "tenure_held 1\n# EOF\n");
  EXPECT_THAT(open, HasSubstr("application/openmetrics-text; version=1.0.0"));
  EXPECT_EQ(StatusOf(probe.Get("/v1/generation", host)), 404);
  scene.SetNow(seconds(10));
  EXPECT_EQ(StatusOf(probe.Get("/livez", host)), 503);
  EXPECT_EQ(StatusOf(probe.Get("/readyz", host)), 503);
}

TEST(LocalServerAnswers, LivenessCountsFromTheStartUntilTheFirstBeat) {
  Scene scene;
  scene.SetNow(seconds(100));
  scene.Start();
  EXPECT_EQ(StatusOf(scene.Probe().Get("/livez")), 200);
  scene.SetNow(seconds(110));
  EXPECT_EQ(StatusOf(scene.Probe().Get("/livez")), 503);
  scene.board().Beat(At(seconds(110)).instant);
  EXPECT_EQ(StatusOf(scene.Probe().Get("/livez")), 200);
}

TEST(LocalServerAnswers, ALargeReplyArrivesWhole) {
  Scene scene;
  const std::string metrics(8 * 1024 * 1024, 'm');
  scene.SetMetrics(metrics);
  scene.Start();
  Client probe = scene.Probe();
  probe.SetReceiveBuffer(128 * 1024);
  EXPECT_EQ(BodyOf(probe.Get("/metrics")).size(), metrics.size());
  EXPECT_EQ(StatusOf(probe.Get("/readyz")), 503);
}

TEST(LocalServerAnswers, TheRestOfAnOvertakenAnswerIsNotSent) {
  Scene scene;
  const std::string metrics(8 * 1024 * 1024, 'm');
  scene.SetMetrics(metrics);
  scene.Start();
  scene.Publish(Held(41));
  Client probe = scene.Probe();
  probe.SetReceiveBuffer(128 * 1024);
  probe.Send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  // Its beginning was read, so the answer was computed and the rest waits.
  ASSERT_THAT(probe.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  scene.SetNow(seconds(10));
  EXPECT_LT(probe.ReadToEnd().size(), metrics.size());
}

TEST(LocalServerAnswers, NoReplyWaitsBehindOneThatIsNotRead) {
  Scene scene;
  scene.SetMetrics(std::string(8 * 1024 * 1024, 'm'));
  scene.Start();
  scene.Publish(Held(41));
  Client probe = scene.Probe();
  probe.SetReceiveBuffer(128 * 1024);
  probe.Send(
      "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_THAT(probe.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  // A change of the board that is not one of certainty: the first reply goes
  // on, the second is computed after it.
  AuthoritySnapshot draining = Held(41);
  draining.draining = true;
  scene.Publish(draining);
  probe.ReadUntil("mHTTP/1.1 503");
  EXPECT_THAT(probe.ReadUntil("\n\r\n"), HasSubstr("Content-Length"));
}

}  // namespace
}  // namespace tenure
