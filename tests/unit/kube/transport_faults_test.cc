// What a hostile server cannot do: be waited for, be believed, be sent twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/unit/kube/transport_rig.h"

namespace tenure {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

void AnswerAll(Peer& peer) {
  while (!peer.ReadRequest().empty()) peer.Answer(200, kLeaseBody);
}

// A server that answers once well, so that the next request certainly leaves
// on an open connection, and then does `fault` to each that follows.
HostileServer::Script WellOnceThen(std::function<void(Peer&)> fault) {
  return [fault = std::move(fault)](Peer& peer) {
    if (peer.index() == 0) {
      peer.ReadRequest();
      peer.Answer(200, kLeaseBody);
    }
    if (!peer.ReadRequest().empty()) fault(peer);
  };
}

// The second renewal's result.
RequestDone Second(HostileServer& server, Duration limit) {
  TransportRig rig(PlainAccess(server));
  EXPECT_TRUE(rig.Renew().result.has_value());
  return rig.Renew(limit);
}

TEST(TransportFaultsTest, ASilentServerIsGivenUpAtTheLimit) {
  HostileServer server({}, WellOnceThen([](Peer& peer) { peer.Hang(); }));
  const RequestDone done = Second(server, kBrief);
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kOutcomeUnknown);
  EXPECT_THAT(MessageOf(done.result), HasSubstr("gave up after 300 ms"));
  EXPECT_TRUE(server.WaitForEnded(1)) << "its socket was not closed";
}

TEST(TransportFaultsTest, ADrippingServerIsGivenUpAtTheLimit) {
  // Endless progress; it ends only because the client goes.
  HostileServer server(
      {}, WellOnceThen([](Peer& peer) {
        peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while (peer.Send(" ")) {
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
      }));
  EXPECT_EQ(CodeOf(Second(server, kBrief).result), ErrorCode::kOutcomeUnknown);
}

TEST(TransportFaultsTest, ADrippedHeaderIsGivenUpAtTheLimit) {
  HostileServer server(
      {}, WellOnceThen([](Peer& peer) {
        peer.Send("HTTP/1.1 200 OK\r\nX: ");
        while (peer.Send("y")) {
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
      }));
  EXPECT_EQ(CodeOf(Second(server, kBrief).result), ErrorCode::kOutcomeUnknown);
}

TEST(TransportFaultsTest,
     AConnectionEndedWithoutAnswerIsUnknownAndNotReplayed) {
  for (const bool reset : {false, true}) {
    HostileServer server({}, WellOnceThen([reset](Peer& peer) {
                           if (reset) peer.Reset();
                         }));
    EXPECT_EQ(CodeOf(Second(server, kAmple).result),
              ErrorCode::kOutcomeUnknown);
    EXPECT_THAT(server.requests(), SizeIs(2));
  }
}

TEST(TransportFaultsTest, AHalfClosedConnectionIsUnknown) {
  HostileServer server({}, WellOnceThen([](Peer& peer) {
                         peer.Send("HTTP/1.1 200 OK\r\nContent-Le");
                         peer.HalfClose();
                         peer.Hang();
                       }));
  const RequestDone done = Second(server, kAmple);
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kOutcomeUnknown);
  EXPECT_THAT(MessageOf(done.result), HasSubstr("in the middle"));
}

TEST(TransportFaultsTest, ATruncatedBodyIsUnknown) {
  HostileServer server(
      {}, WellOnceThen([](Peer& peer) {
        peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" +
                  std::string(kLeaseBody));
      }));
  EXPECT_EQ(CodeOf(Second(server, kAmple).result), ErrorCode::kOutcomeUnknown);
}

TEST(TransportFaultsTest, WhatIsNotHttpIsUnknown) {
  for (const std::string& garbage :
       {std::string("\0\1\2\3garbage\r\n\r\n", 15), std::string("{}"),
        std::string("HTTP/1.1 2x0 OK\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "-1\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "fffffffffffffffff\r\n")}) {
    HostileServer server({},
                         WellOnceThen([&](Peer& peer) { peer.Send(garbage); }));
    EXPECT_EQ(CodeOf(Second(server, kAmple).result), ErrorCode::kOutcomeUnknown)
        << garbage;
  }
}

TEST(TransportFaultsTest, AnInterimAnswerIsNotTakenForAnAnswer) {
  for (const char* const status : {"100 Continue", "101 Switching Protocols"}) {
    HostileServer server(
        {}, WellOnceThen([&](Peer& peer) {
          peer.Send("HTTP/1.1 " + std::string(status) + "\r\n\r\n");
          peer.Hang();
        }));
    const RequestDone done = Second(server, kAmple);
    EXPECT_EQ(CodeOf(done.result), ErrorCode::kOutcomeUnknown);
    EXPECT_THAT(MessageOf(done.result), HasSubstr("not asked for"));
  }
}

TEST(TransportFaultsTest, HeadersAreReadUpTo64KiB) {
  HostileServer server({}, [](Peer& peer) {
    peer.ReadRequest();
    peer.Answer(200, kLeaseBody, "X: " + std::string(63 * 1024, 'x') + "\r\n");
    peer.ReadRequest();
    peer.Answer(200, kLeaseBody, "X: " + std::string(64 * 1024, 'x') + "\r\n");
    peer.ReadToEnd();
  });
  const RequestDone done = Second(server, kAmple);
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kOutcomeUnknown);
}

TEST(TransportFaultsTest, BodiesAreReadUpToOneMebibyte) {
  const std::size_t limit = std::size_t{1} << 20;
  const std::string lease = kLeaseBody;
  const std::string full = lease + std::string(limit - lease.size(), ' ');
  for (const bool chunked : {false, true}) {
    HostileServer server({}, [&](Peer& peer) {
      for (const std::string& body : {full, full + " "}) {
        peer.ReadRequest();
        if (!chunked) {
          peer.Answer(200, body);
          continue;
        }
        peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.Send("80000\r\n" + body.substr(0, 0x80000) + "\r\n");
        peer.Send("80000\r\n" + body.substr(0x80000, 0x80000) + "\r\n");
        if (body.size() > limit) peer.Send("1\r\n \r\n");
        peer.Send("0\r\n\r\n");
      }
      peer.ReadToEnd();
    });
    EXPECT_EQ(CodeOf(Second(server, kAmple).result),
              ErrorCode::kOutcomeUnknown);
  }
}

TEST(TransportFaultsTest, AFloodOfFramingIsCutOff) {
  HostileServer server(
      {}, WellOnceThen([](Peer& peer) {
        peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        const std::string chunk = "1;" + std::string(30'000, 'x') + "\r\n \r\n";
        while (peer.Send(chunk)) {
        }
        peer.ReadToEnd();
      }));
  const RequestDone done = Second(server, kAmple);
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kOutcomeUnknown);
  EXPECT_THAT(MessageOf(done.result), HasSubstr("larger than allowed"));
}

TEST(TransportFaultsTest, RedirectsAreNotFollowed) {
  HostileServer other({}, AnswerAll);
  HostileServer server({}, [&](Peer& peer) {
    while (!peer.ReadRequest().empty()) {
      peer.Answer(307, "",
                  "Location: http://127.0.0.1:" + std::to_string(other.port()) +
                      "/\r\n");
    }
  });
  TransportRig rig(PlainAccess(server));
  const RequestDone done = rig.Renew();
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kRefused);
  EXPECT_THAT(MessageOf(done.result), HasSubstr("redirects are not followed"));
  EXPECT_EQ(other.connections(), 0);
}

TEST(TransportFaultsTest, AGivenUpWriteIsNeverCompletedLater) {
  // The server's buffers take only a part of it; the rest waits in ours.
  std::atomic<bool> given_up = false;
  std::string late;
  HostileServer server({.receive_buffer = 4096}, [&](Peer& peer) {
    peer.ReadRequest();
    peer.Answer(200, kLeaseBody);
    while (!given_up) std::this_thread::yield();
    late = peer.ReadToEnd();
  });
  TransportRig rig(PlainAccess(server));
  ASSERT_TRUE(rig.Renew().result.has_value());
  constexpr std::size_t kSize = 1'000'000;
  const RequestDone done = rig.Write(kSize, kBrief);
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kOutcomeUnknown);
  given_up = true;
  ASSERT_TRUE(server.WaitForEnded(1));
  EXPECT_LT(late.size(), kSize) << "the kernel went on sending";
}

TEST(TransportFaultsTest, ALargeWriteArrivesWholeThroughSmallBuffers) {
  HostileServer server({.receive_buffer = 4096}, AnswerAll);
  TransportRig rig(PlainAccess(server));
  ASSERT_TRUE(rig.Write(1'000'000, kAmple).result.has_value());
  EXPECT_GT(server.requests()[0].size(), 1'000'000U);
}

}  // namespace
}  // namespace tenure
