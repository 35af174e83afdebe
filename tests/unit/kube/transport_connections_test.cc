// Which connection a request goes out on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <semaphore>
#include <sstream>
#include <string>

#include "sidecar/kube/api_channel.h"
#include "sidecar/kube/credential_text.h"
#include "tests/unit/kube/transport_rig.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

void AnswerAll(Peer& peer) {
  while (!peer.ReadRequest().empty()) peer.Answer(200, kLeaseBody);
}

// Answers one request on each connection and ends it, saying nothing.
void AnswerOnce(Peer& peer) {
  peer.ReadRequest();
  peer.Answer(200, kLeaseBody);
}

// Waits until the kernel has handed the client what the server did: no socket
// to `port` is established with nothing to read. Loopback delivers late on a
// busy machine, and a peek before that rightly sees a quiet connection.
void WaitUntilClientHeard(std::uint16_t port) {
  char wanted[16];
  std::snprintf(wanted, sizeof wanted, "0100007F:%04X", port);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (bool quiet = true; quiet && std::chrono::steady_clock::now() < limit;) {
    quiet = false;
    std::ifstream table("/proc/net/tcp");
    for (std::string line; std::getline(table, line);) {
      std::istringstream fields(line);
      std::string slot;
      std::string local;
      std::string remote;
      std::string state;
      std::string queues;
      fields >> slot >> local >> remote >> state >> queues;
      quiet = quiet || (remote == wanted && state == "01" &&
                        queues.ends_with(":00000000"));
    }
  }
}

TEST(TransportConnectionsTest, AConnectionClosedWhileIdleIsReplacedUnsent) {
  const TestCa ca;
  for (const bool tls : {false, true}) {
    HostileOptions options;
    if (tls) options.tls = ca.Issue({.names = {"IP:127.0.0.1"}});
    std::counting_semaphore<8> answered{0};
    std::counting_semaphore<8> spoiled{0};
    HostileServer server(options, [&](Peer& peer) {
      AnswerOnce(peer);
      answered.acquire();
      if (peer.index() == 1) peer.HalfClose();  // and close_notify
      if (peer.index() == 2) peer.Reset();
      if (peer.index() == 3) {
        peer.Send("unasked");
        spoiled.release();
        peer.Hang();
      }
    });
    TransportRig rig(tls ? TlsAccess(server, ca) : PlainAccess(server));
    for (int i = 0; i < 5; ++i) {
      const RequestDone done = rig.Renew();
      ASSERT_TRUE(done.result.has_value()) << MessageOf(done.result);
      answered.release();
      const bool ended = i >= 3 || server.WaitForEnded(i + 1);
      EXPECT_TRUE(ended);
      if (i == 3) spoiled.acquire();
      if (i < 4) WaitUntilClientHeard(server.port());
    }
    EXPECT_EQ(server.connections(), 5);
    EXPECT_THAT(server.requests(), SizeIs(5)) << "sent exactly once each";
  }
}

TEST(TransportConnectionsTest, DataThatNobodyAskedForEndsAConnection) {
  HostileServer server({}, [](Peer& peer) {
    peer.ReadRequest();
    // One write, so that both answers arrive together.
    const std::string body = kLeaseBody;
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    peer.Send(answer + answer);
    peer.ReadToEnd();
  });
  TransportRig rig(PlainAccess(server));
  EXPECT_TRUE(rig.Renew().result.has_value());
  EXPECT_TRUE(rig.Renew().result.has_value());
  EXPECT_EQ(server.connections(), 2);
}

TEST(TransportConnectionsTest, ConnectionCloseIsHonoured) {
  HostileServer server({}, [](Peer& peer) {
    peer.ReadRequest();
    peer.Answer(200, kLeaseBody, "Connection: close\r\n");
    peer.ReadToEnd();
  });
  TransportRig rig(PlainAccess(server));
  EXPECT_TRUE(rig.Renew().result.has_value());
  EXPECT_TRUE(rig.Renew().result.has_value());
  EXPECT_EQ(server.connections(), 2);
}

TEST(TransportConnectionsTest, AfterAGivenUpRequestComesAFreshConnection) {
  HostileServer server({}, [](Peer& peer) {
    if (peer.index() > 0) return AnswerAll(peer);
    AnswerOnce(peer);
    peer.ReadRequest();
    peer.Hang();
  });
  TransportRig rig(PlainAccess(server));
  EXPECT_TRUE(rig.Renew().result.has_value());
  EXPECT_EQ(CodeOf(rig.Renew(kBrief).result), ErrorCode::kOutcomeUnknown);
  EXPECT_TRUE(rig.Renew().result.has_value());
  EXPECT_EQ(server.connections(), 2);
}

TEST(TransportConnectionsTest, AWornConnectionIsReplacedBetweenExchanges) {
  HostileServer server({}, AnswerAll);
  ChangingAccess access(PlainAccess(server));
  boost::asio::io_context context;
  const auto channel = std::make_shared<ApiChannel>(
      context, &access, std::make_shared<TlsMaterial>(), /*jitter_seed=*/1,
      ConnectionAge{.youngest = std::chrono::milliseconds{0},
                    .spread = std::chrono::milliseconds{0}});
  for (int i = 0; i < 3; ++i) {
    bool answered = false;
    channel->Exchange(access.Current(), "GET / HTTP/1.1\r\n\r\n", kAmple,
                      [&](HttpOutcome end) { answered = end.has_value(); });
    context.restart();
    context.run();  // until nothing is waited for: it has aged, too
    EXPECT_TRUE(answered);
  }
  EXPECT_EQ(server.connections(), 3);
  channel->Close();
}

TEST(TransportConnectionsTest, ARefusedConnectionIsNotSent) {
  ApiAccess access;
  {
    HostileServer server({}, AnswerAll);
    access = PlainAccess(server);
  }
  TransportRig rig(access);
  const RequestDone done = rig.Renew();
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
  EXPECT_THAT(
      MessageOf(done.result),
      AllOf(HasSubstr("connecting to 127.0.0.1:"), HasSubstr("refused")));
  EXPECT_EQ(rig.access.refreshes, 1);
}

TEST(TransportConnectionsTest, ABlackholedServerIsNotSentAtTheLimit) {
  const BlackholedListener hole("127.0.0.1", 0);
  ApiAccess access;
  access.tls = false;
  access.host = "127.0.0.1";
  access.addresses = {"127.0.0.1"};
  access.port = hole.port();
  TransportRig rig(access);
  EXPECT_EQ(CodeOf(rig.Renew(kBrief).result), ErrorCode::kNotSent);
}

TEST(TransportConnectionsTest, ABlackholedAddressLeavesTimeForTheNext) {
  HostileServer server({}, AnswerAll);
  const BlackholedListener hole("127.0.0.2", server.port());
  ApiAccess access = PlainAccess(server);
  access.addresses = {"127.0.0.2", "127.0.0.1"};
  TransportRig rig(access);
  const RequestDone done = rig.Renew(std::chrono::seconds{3});
  EXPECT_TRUE(done.result.has_value()) << MessageOf(done.result);
}

TEST(TransportConnectionsTest, AFailedAddressIsNotTriedFirstAgain) {
  const TestCa ca;
  const TestPair pair = ca.Issue({.names = {"IP:127.0.0.1"}});
  HostileServer tls({.tls = pair}, AnswerOnce);
  HostileServer bad({.address = "127.0.0.2", .port = tls.port()}, [](Peer&) {});
  ApiAccess access = TlsAccess(tls, ca);
  access.addresses = {"127.0.0.2", "127.0.0.1"};
  TransportRig rig(access);
  for (int i = 0; i < 3; ++i) {
    const RequestDone done = rig.Renew();
    EXPECT_TRUE(done.result.has_value()) << MessageOf(done.result);
    ASSERT_TRUE(tls.WaitForEnded(i + 1));
  }
  EXPECT_EQ(bad.connections(), 1) << "its TLS failed; the other one served";
  EXPECT_EQ(tls.connections(), 3);
}

TEST(TransportConnectionsTest, AtMostThreeAddressesAreTriedForOneRequest) {
  HostileServer server({.address = "127.0.0.4"}, AnswerAll);
  ApiAccess access = PlainAccess(server);
  access.addresses = {"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"};
  TransportRig rig(access);
  EXPECT_EQ(CodeOf(rig.Renew().result), ErrorCode::kNotSent);
  EXPECT_TRUE(rig.Renew().result.has_value()) << "the next one starts there";
}

TEST(TransportConnectionsTest, GoesThroughAConnectProxyWithTlsInside) {
  const TestCa ca;
  HostileServer server({.tls = ca.Issue({.names = {"DNS:kube.test"}})},
                       AnswerAll);
  HostileServer proxy({}, [&](Peer& peer) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 Connection established\r\n\r\n");
    peer.TunnelTo("127.0.0.1", server.port());
  });
  ApiAccess access = TlsAccess(server, ca);
  access.host = "kube.test";
  access.verify_name = "kube.test";
  access.proxy_host = "127.0.0.1";
  access.proxy_port = proxy.port();
  access.proxy_authorization = "Basic " + EncodeBase64("me:secret");
  access.bearer_token = "token";
  TransportRig rig(access);
  const RequestDone done = rig.Renew();
  ASSERT_TRUE(done.result.has_value()) << MessageOf(done.result);
  EXPECT_TRUE(rig.Renew().result.has_value());
  ASSERT_THAT(proxy.requests(), SizeIs(1));
  const std::string asked = proxy.requests()[0];
  const std::string target = "kube.test:" + std::to_string(server.port());
  EXPECT_THAT(asked, StartsWith("CONNECT " + target + " HTTP/1.1\r\n"));
  EXPECT_THAT(asked, HasSubstr("\r\nProxy-Authorization: Basic bWU6c2VjcmV0"));
  EXPECT_THAT(asked, testing::Not(HasSubstr("Bearer")));
}

TEST(TransportConnectionsTest, AProxyThatRefusesOrTalksIsNotSent) {
  const TestCa ca;
  for (const std::string answer :
       {"HTTP/1.1 407 Who are you\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 200 OK\r\n\r\nand more", "SSH-2.0-x\r\n", ""}) {
    HostileServer proxy({}, [&](Peer& peer) {
      peer.ReadRequest();
      peer.Send(answer);
    });
    ApiAccess access = TlsAccess(proxy, ca);
    access.proxy_host = "127.0.0.1";
    access.proxy_port = proxy.port();
    TransportRig rig(access);
    const RequestDone done = rig.Renew();
    EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
    EXPECT_THAT(MessageOf(done.result), HasSubstr("proxy"));
  }
}

}  // namespace
}  // namespace tenure
