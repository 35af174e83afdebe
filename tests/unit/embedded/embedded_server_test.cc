#include "sidecar/embedded/embedded_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sidecar/base/check.h"
#include "sidecar/embedded/bounded_server.h"
#include "tests/unit/embedded/api_fixture.h"
#include "tests/unit/embedded/loopback_client.h"

namespace tenure::embedded {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr milliseconds kLong{30'000};
const std::string kLeases = kLeasesPath;

std::unique_ptr<EmbeddedServer> StartServer(const ServerLimits& limits = {}) {
  auto server = OpenBounded({}, limits);
  CHECK(server.has_value());
  (*server)->Start();
  return std::move(*server);
}

std::string Named(const std::string& name) {
  return R"({"metadata":{"name":")" + name + "\"}}";
}

TEST(EmbeddedServerTest, ServesRequestAfterRequestOnOneConnection) {
  const auto server = StartServer();
  LoopbackClient client(server->port());
  EXPECT_EQ(client.Call("POST", kLeases, Named("a")).code, 201);
  EXPECT_EQ(client.Call("GET", kLeases + "/a").json()["kind"], "Lease");
  EXPECT_EQ(client.Call("DELETE", kLeases + "/a").code, 200);
  EXPECT_EQ(client.Call("GET", kLeases + "/a").code, 404);
}

TEST(EmbeddedServerTest, PipelinedRequestsAreAnsweredInOrder) {
  const auto server = StartServer();
  LoopbackClient client(server->port());
  client.SendRequest("POST", kLeases, Named("a"));
  client.SendRequest("POST", kLeases, Named("a"));
  EXPECT_EQ(client.ReadReply().code, 201);
  EXPECT_EQ(client.ReadReply().code, 409);
}

TEST(EmbeddedServerTest, AWatchHearsWhatOthersWrite) {
  const auto server = StartServer();
  LoopbackClient writer(server->port()), watcher(server->port());
  writer.Call("POST", kLeases, Named("a"));
  watcher.SendRequest("GET", kLeases + "?watch=1");
  EXPECT_THAT(watcher.ReadHead().head, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(watcher.ReadEvent()["type"], "ADDED");
  writer.Call("PATCH", kLeases + "/a", R"({"spec":{"leaseTransitions":1}})",
              "Content-Type: application/merge-patch+json\r\n");
  const nlohmann::json event = watcher.ReadEvent();
  EXPECT_EQ(event["type"], "MODIFIED");
  EXPECT_EQ(event["object"]["spec"]["leaseTransitions"], 1);
  writer.Call("DELETE", kLeases + "/a");
  EXPECT_EQ(watcher.ReadEvent()["type"], "DELETED");
}

TEST(EmbeddedServerTest, AWatchEndsWhenItsTimeIsOver) {
  const auto server = StartServer();
  LoopbackClient watcher(server->port());
  watcher.SendRequest("GET", kLeases + "?watch=1&timeoutSeconds=-1");
  EXPECT_EQ(watcher.ReadHead().code, 200);
  EXPECT_TRUE(watcher.ReadEvent().is_null());
  LoopbackClient later(server->port());
  later.SendRequest("GET", kLeases + "?watch=1&timeoutSeconds=1");
  EXPECT_EQ(later.ReadHead().code, 200);
  EXPECT_TRUE(later.ReadEvent().is_null());
}

TEST(EmbeddedServerTest, BookmarksComeWithoutAnyChange) {
  const auto server =
      StartServer({.bookmark_interval = std::chrono::milliseconds(20)});
  LoopbackClient watcher(server->port());
  watcher.SendRequest("GET", kLeases + "?watch=1&allowWatchBookmarks=true");
  watcher.ReadHead();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(watcher.ReadEvent()["type"], "BOOKMARK");
  }
}

TEST(EmbeddedServerTest, AnOldClientGetsAWatchWithoutChunks) {
  const auto server = StartServer();
  LoopbackClient writer(server->port()), watcher(server->port());
  writer.Call("POST", kLeases, Named("a"));
  watcher.Send("GET " + kLeases + "?watch=1 HTTP/1.0\r\n\r\n");
  EXPECT_THAT(watcher.ReadHead().head, Not(HasSubstr("chunked")));
  EXPECT_EQ(watcher.ReadEvent()["type"], "ADDED");
}

TEST(EmbeddedServerTest, StopEndsEveryConnection) {
  const auto server = StartServer();
  LoopbackClient idle(server->port()), watcher(server->port());
  idle.Call("GET", "/version");
  watcher.SendRequest("GET", kLeases + "?watch=1");
  watcher.ReadHead();
  server->Stop();
  server->Stop();
  EXPECT_NE(idle.WaitEnd(kLong), End::kOpen);
  EXPECT_NE(watcher.WaitEnd(kLong), End::kOpen);
  EXPECT_FALSE(LoopbackClient(server->port()).connected());
}

TEST(EmbeddedServerTest, ListensOnLoopbackOnly) {
  for (const char* address : {"0.0.0.0", "::", "192.0.2.1", "localhost", ""}) {
    const auto server = EmbeddedServer::Open({.address = address});
    ASSERT_FALSE(server) << address;
    EXPECT_EQ(server.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(EmbeddedServerTest, ATakenPortIsNamed) {
  const auto server = StartServer();
  const auto second = EmbeddedServer::Open({.port = server->port()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message,
              HasSubstr(std::to_string(server->port())));
}

TEST(EmbeddedServerTest, TheKubeconfigPointsHere) {
  const auto server = StartServer();
  EXPECT_THAT(server->Kubeconfig(),
              HasSubstr("server: http://127.0.0.1:" +
                        std::to_string(server->port()) + "\n"));
}

TEST(EmbeddedServerTest, ServesOnIpv6Loopback) {
  const auto server = EmbeddedServer::Open({.address = "::1"});
  if (!server) GTEST_SKIP() << "no IPv6 here: " << server.error().message;
  EXPECT_THAT((*server)->Kubeconfig(), HasSubstr("server: http://[::1]:"));
}

TEST(EmbeddedServerTest, BrowsersAndForeignNamesAreRefused) {
  const auto server = StartServer();
  const auto code = [&server](const std::string& headers) {
    LoopbackClient client(server->port());
    client.Send("GET /version HTTP/1.1\r\n" + headers + "\r\n");
    return client.ReadReply().code;
  };
  EXPECT_EQ(code("Host: evil.example\r\n"), 403);
  EXPECT_EQ(code("Host: 127.0.0.1.evil.example:80\r\n"), 403);
  EXPECT_EQ(code("Host: localhost\r\nOrigin: http://evil.example\r\n"), 403);
  EXPECT_EQ(code("Host: localhost:80\r\n"), 200);
  EXPECT_EQ(code("Host: [::1]:80\r\n"), 200);
  EXPECT_EQ(code("Host: [::1]\r\n"), 200);
}

TEST(EmbeddedServerTest, FaultsAreNotServedUnlessAskedFor) {
  const auto server = StartServer();
  LoopbackClient client(server->port());
  const HttpReply reply =
      client.Call("POST", "/faults", R"({"action":"close"})");
  EXPECT_EQ(reply.code, 404);
  EXPECT_THAT(reply.body, HasSubstr("tenure dev --faults"));
  EXPECT_EQ(client.Call("GET", "/version").code, 200);
}

TEST(EmbeddedServerTest, ATakenPortIsToldWithWhoHasItAndTheFlag) {
  const auto server = StartServer();
  EmbeddedServerOptions options;
  options.port = server->port();
  options.port_flag = "--some-port";
  options.port_owner = [](std::uint16_t port) {
    return "the owner of " + std::to_string(port);
  };
  const std::string port = std::to_string(server->port());
  const auto second = EmbeddedServer::Open(options);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message,
            "expected 127.0.0.1:" + port +
                " to be free, found it in use by the owner of " + port +
                "; choose another with --some-port, or 0 for any free one");
}

TEST(ServerLimitsTest, BodiesAreBounded) {
  const auto server = StartServer({.body_bytes = 1000});
  LoopbackClient client(server->port());
  const HttpReply reply =
      client.Call("POST", kLeases, std::string(2'000'000, 'x'));
  EXPECT_EQ(reply.code, 413);
  EXPECT_EQ(reply.json()["reason"], "RequestEntityTooLarge");
  LoopbackClient liar(server->port());
  liar.Send("POST " + kLeases +
            " HTTP/1.1\r\nHost: localhost\r\n"
            "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) {
    liar.Send("1f4\r\n" + std::string(500, 'x') + "\r\n");
  }
  EXPECT_EQ(liar.ReadReply().code, 413);
}

TEST(ServerLimitsTest, HeadersAreBounded) {
  const auto server = StartServer({.header_bytes = 1000});
  LoopbackClient client(server->port());
  client.SendRequest("GET", "/version", "",
                     "X: " + std::string(2000, 'x') + "\r\n");
  EXPECT_EQ(client.ReadReply().code, 431);
  EXPECT_NE(client.WaitEnd(kLong), End::kOpen);
}

TEST(ServerLimitsTest, IdleAndDrippingClientsAreCutOff) {
  const auto server = StartServer({.idle = milliseconds(50)});
  LoopbackClient idle(server->port()), dripping(server->port());
  dripping.Send("GET /version HT");
  EXPECT_NE(idle.WaitEnd(kLong), End::kOpen);
  EXPECT_NE(dripping.WaitEnd(kLong), End::kOpen);
}

TEST(ServerLimitsTest, ConnectionsAreBoundedAndFreedAgain) {
  const auto server = StartServer({.connections = 3});
  {
    std::vector<std::unique_ptr<LoopbackClient>> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(std::make_unique<LoopbackClient>(server->port()));
      EXPECT_EQ(clients.back()->Call("GET", "/version").code, 200);
    }
    LoopbackClient watcher(server->port());
    EXPECT_NE(watcher.WaitEnd(kLong), End::kOpen);
    EXPECT_EQ(clients.front()->Call("GET", "/version").code, 200);
  }
  // The server notices the closes in its own time.
  int code = 0;
  for (int i = 0; i < 1000 && code == 0; ++i) {
    code = LoopbackClient(server->port()).Call("GET", "/version").code;
  }
  EXPECT_EQ(code, 200);
}

TEST(ServerLimitsTest, AWatcherThatDoesNotReadIsCutOff) {
  const auto server =
      StartServer({.connections = 2, .watch_queue_bytes = 100'000});
  LoopbackClient writer(server->port());
  LoopbackClient watcher(server->port(), /*receive_buffer=*/4096);
  writer.Call("POST", kLeases, Named("a"));
  watcher.SendRequest("GET", kLeases + "?watch=1");
  watcher.ReadHead();
  // Until its place is free again: more than the queue and the kernel's
  // buffers hold.
  const std::string big(20'000, 'x');
  int writes = 0;
  while (LoopbackClient(server->port()).Call("GET", "/version").code == 0) {
    ASSERT_LT(++writes, 1000);
    ASSERT_EQ(writer
                  .Call("PATCH", kLeases + "/a",
                        R"({"spec":{"holderIdentity":")" +
                            std::to_string(writes) + big + "\"}}",
                        "Content-Type: application/merge-patch+json\r\n")
                  .code,
              200);
  }
  EXPECT_GT(writes, 5);
}

TEST(ServerLimitsTest, GarbageIsAnsweredOrCutOffAndHarmsNobody) {
  const auto server = StartServer();
  for (const std::string& bytes :
       {std::string("\0\0\0\0\r\n\r\n", 8), std::string("GET\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("\x16\x03\x01\x02"),
        std::string("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string(100'000, 'A')}) {
    LoopbackClient client(server->port());
    client.Send(bytes);
    const HttpReply reply = client.ReadReply();
    EXPECT_GE(reply.code, 400) << bytes.substr(0, 30);
  }
  LoopbackClient client(server->port());
  EXPECT_EQ(client.Call("GET", "/version").code, 200);
}

TEST(ServerLimitsTest, WarningHeadersAreBounded) {
  const auto server = StartServer();
  LoopbackClient client(server->port());
  std::string body = R"({"metadata":{"name":"a"})";
  for (int i = 0; i < 90; ++i) {
    body += ",\"" + std::string(200, 'x') + std::to_string(i) + "\":1";
  }
  const HttpReply reply = client.Call("POST", kLeases, body + "}");
  EXPECT_EQ(reply.code, 201);
  EXPECT_THAT(reply.head, HasSubstr("Warning: 299 - \"unknown field"));
  EXPECT_LT(reply.head.size(), 6000U);
}

}  // namespace
}  // namespace tenure::embedded
