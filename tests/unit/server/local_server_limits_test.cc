// Every limit of the local surface is reached, answered and survived.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <vector>

#include "sidecar/server/limits.h"
#include "tests/unit/server/scene.h"

namespace tenure {
namespace {

using ::testing::HasSubstr;

void Shorten(ServerWaits* waits) {
  waits->read = milliseconds(50);
  waits->write = milliseconds(50);
  waits->idle = milliseconds(50);
  waits->linger = milliseconds(50);
  waits->sweep = milliseconds(10);
}

#ifdef __SANITIZE_ADDRESS__
// Freed memory stays resident: it is quarantined.
constexpr long kAllowedKiB = 256 * 1024;
#else
constexpr long kAllowedKiB = 16 * 1024;
#endif

long ResidentKiB() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(LocalServerLimits, ConnectionsOverTheLimitAreTurnedAway) {
  Scene scene;
  scene.options().max_connections = 3;
  scene.Start();
  scene.Publish(Held(41));
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(scene.Status());
    ASSERT_EQ(StatusOf(clients.back().Get("/v1/generation")), 200);
  }
  Client late = scene.Status();
  const std::string reply = late.ReadToEnd();
  EXPECT_EQ(StatusOf(reply), 503);
  EXPECT_THAT(reply, HasSubstr("at most 3 connections"));
  // Each listener has its own limit, and those inside go on.
  EXPECT_EQ(StatusOf(scene.StatusTcp().Get("/v1/generation")), 200);
  EXPECT_EQ(StatusOf(clients[0].Get("/v1/generation")), 200);
  clients[0].Close();
  std::string again;
  for (int i = 0; i < 10'000 && StatusOf(again) != 200; ++i) {
    again = scene.Status().Get("/v1/generation");
  }
  EXPECT_EQ(StatusOf(again), 200);
}

TEST(LocalServerLimits, TheListenersShareWhatAllMayHaveAndTellOnce) {
  Scene scene;
  std::atomic<int> told = 0;
  scene.options().max_all_connections = 14;  // for 4 or 5 listeners
  scene.options().on_refusal = [&told](const std::string& why) {
    EXPECT_THAT(why, HasSubstr("connections to the status socket"));
    ++told;
  };
  scene.Start();
  scene.Publish(Held(41));
  std::vector<Client> clients;
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(scene.Status());
    if (StatusOf(clients.back().Get("/v1/generation")) != 200) ++refused;
  }
  EXPECT_GE(refused, 20 - 14 / 4);
  EXPECT_EQ(told, 1);
  // However many readers come, probes have their own part.
  EXPECT_EQ(StatusOf(scene.Probe().Get("/livez")), 200);
}

TEST(LocalServerLimits, TenThousandConnectionsLeaveNothingBehind) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  const auto connect = [&scene](int count) {
    std::vector<Client> open;
    for (int i = 0; i < count; ++i) {
      open.push_back(scene.StatusTcp());
      open.back().SendSome("GET /v1/gen");
      if (open.size() == 400) open.clear();
    }
  };
  connect(2'000);
  const long before = ResidentKiB();
  connect(10'000);
  EXPECT_LT(ResidentKiB() - before, kAllowedKiB);
  EXPECT_EQ(scene.Generation(), "41\n");
}

TEST(LocalServerLimits, WithoutDescriptorsItWaitsAndRecovers) {
  Scene scene;
  scene.options().waits.accept_retry = milliseconds(5);
  scene.Start();
  scene.Publish(Held(41));
  Client inside = scene.Status();
  ASSERT_EQ(BodyOf(inside.Get("/v1/generation")), "41\n");
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  // Leaves one descriptor for our own end of the connection.
  const int next = dup(STDERR_FILENO);
  ASSERT_GE(next, 0);
  close(next);
  rlimit low = limit;
  low.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  Client starved = scene.Status();
  EXPECT_TRUE(starved.connected());
  starved.Send("GET /v1/generation HTTP/1.1\r\nHost: a\r\n\r\n");
  // The connections it has are served all the while.
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(BodyOf(inside.Get("/v1/generation")), "41\n");
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(BodyOf(starved.ReadReply()), "41\n");
}

TEST(LocalServerLimits, AHeaderOverTheLimitIs431) {
  Scene scene;
  scene.Start();
  Client client = scene.StatusTcp();
  client.Send("GET / HTTP/1.1\r\nX: " + std::string(kMaxHeaderBytes, 'x'));
  EXPECT_EQ(StatusOf(client.ReadToEnd()), 431);
}

TEST(LocalServerLimits, AnEndlessHeaderIsAnsweredThoughTheClientSendsOn) {
  Scene scene;
  scene.Start();
  Client client = scene.StatusTcp();
  client.Send("GET / HTTP/1.1\r\nX: " + std::string(40'000, 'x'));
  EXPECT_EQ(StatusOf(client.ReadReply()), 431);
  // It may not go on for ever either: the server hangs up.
  int more = 0;
  while (more < 10'000 && client.Send(std::string(64 * 1024, 'x'))) ++more;
  EXPECT_LT(more, 10'000);
}

TEST(LocalServerLimits, ABodyOverTheLimitIs413) {
  Scene scene;
  scene.Start();
  Client announced = scene.Control();
  announced.Send(
      "POST /v1/work HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n");
  EXPECT_EQ(StatusOf(announced.ReadToEnd()), 413);
  Client chunked = scene.Control();
  chunked.Send(
      "POST /v1/work HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2000\r\n" +
      std::string(0x2000, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(StatusOf(chunked.ReadToEnd()), 413);
}

TEST(LocalServerLimits, ChunkHeadersWithoutEndAreRefused) {
  Scene scene;
  scene.Start();
  Client client = scene.Control();
  client.Send(
      "POST /v1/work HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "1;x=" +
      std::string(20'000, 'x'));
  EXPECT_EQ(StatusOf(client.ReadToEnd()), 400);
}

TEST(LocalServerLimits, ALargeRequestThatFitsIsServed) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Status();
  for (int i = 0; i < 10; ++i) {
    const std::string reply =
        client.Get("/v1/generation",
                   "Host: localhost\r\nX: " + std::string(8'000, 'x') + "\r\n");
    ASSERT_EQ(BodyOf(reply), "41\n");
    ASSERT_EQ(BodyOf(client.Get("/v1/generation")), "41\n");
  }
}

TEST(LocalServerLimits, AHalfSentRequestIs408) {
  Scene scene;
  Shorten(&scene.options().waits);
  scene.Start();
  Client client = scene.StatusTcp();
  client.Send("GET /v1/generation HTTP/1.1\r\nHo");
  EXPECT_EQ(StatusOf(client.ReadToEnd()), 408);
  Client body = scene.Control();
  body.Send("POST /v1/work HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(StatusOf(body.ReadToEnd()), 408);
}

TEST(LocalServerLimits, ADrippedRequestDoesNotLast) {
  Scene scene;
  Shorten(&scene.options().waits);
  scene.Start();
  Client client = scene.StatusTcp();
  client.Send("GET /v1/generation HTTP/1.1\r\nX: ");
  // Each byte is sent only once the one before may have been read, for as long
  // as the server stays: progress does not extend the wait.
  std::string reply;
  while (client.SendSome("x") == 1 && reply.empty()) {
    pollfd ready{client.fd(), POLLIN, 0};
    if (poll(&ready, 1, 1) == 1) reply = client.ReadReply();
  }
  EXPECT_EQ(StatusOf(reply), 408);
}

TEST(LocalServerLimits, IdleConnectionsAreClosed) {
  Scene scene;
  Shorten(&scene.options().waits);
  scene.Start();
  scene.Publish(Held(41));
  Client silent = scene.StatusTcp();
  EXPECT_EQ(silent.ReadToEnd(), "");
  Client once = scene.Status();
  EXPECT_EQ(StatusOf(once.Get("/v1/generation")), 200);
  EXPECT_EQ(once.ReadToEnd(), "");
}

TEST(LocalServerLimits, AReaderThatTakesNothingIsClosed) {
  Scene scene;
  Shorten(&scene.options().waits);
  scene.SetMetrics(std::string(8 * 1024 * 1024, 'm'));
  scene.Start();
  Client client = scene.Probe();
  client.SetReceiveBuffer(128 * 1024);
  client.Send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  // How long it keeps the server waiting is the server's to decide: it is gone
  // once sending fails.
  while (client.Send("x")) {
    pollfd closed{client.fd(), 0, 0};
    if (poll(&closed, 1, 1) == 1) break;
  }
  EXPECT_LT(client.ReadToEnd().size(), 8U * 1024 * 1024);
}

TEST(LocalServerLimits, AFloodOfUnreadRepliesIsHeldBack) {
  Scene scene;
  scene.Start();
  scene.Publish(Held(41));
  Client client = scene.Status();
  const std::string request =
      "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::string flood;
  for (int i = 0; i < 1'000; ++i) flood += request;
  // The server stops reading when its replies are not taken: so does the flood.
  std::size_t sent = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t some = client.SendSome(flood.substr(sent % flood.size()));
    sent += some;
    pollfd ready{client.fd(), POLLOUT, 0};
    if (some == 0 && poll(&ready, 1, 100) == 0) break;
  }
  EXPECT_LT(sent, 4U * 1024 * 1024);
  // S1: the replies that could not be sent are computed when they can be.
  scene.SetNow(seconds(10));
  const std::size_t whole = sent / request.size();
  std::string last;
  for (std::size_t i = 0; i < whole; ++i) last = client.ReadReply();
  EXPECT_THAT(last, HasSubstr("\"certainty\":\"uncertain\""));
}

}  // namespace
}  // namespace tenure
