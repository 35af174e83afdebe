// What a watch does with a server that refuses, breaks or lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/kube/watch_rig.h"
#include "tests/unit/kube/watch_server.h"

namespace tenure {
namespace {

using Kind = WatchEvent::Kind;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kForbidden[] =
    R"({"kind":"Status","code":403,"reason":"Forbidden",)"
    R"("message":"leases is forbidden: User x cannot watch"})";

const WatchEvent& Last(const WatchRig& rig) { return rig.events().back(); }

// A good stream with one event, which is how a test sees that the watch is
// back.
void Recover(Peer& peer) {
  peer.SayStreamHead();
  peer.SayChunk(EventLine("MODIFIED", 99));
  peer.WaitForClose();
}

TEST(WatchFaultsTest, GoneInsideTheStreamExpiresAndStaysClosed) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    peer.SayChunk(
        R"({"type":"ERROR","object":{"code":410,"message":"too old"}})"
        "\n");
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start("3");
  ASSERT_TRUE(rig.UntilKind(Kind::kExpired));
  rig.TurnFor(milliseconds(100));
  EXPECT_THAT(rig.kinds(), ElementsAre(Kind::kOpened, Kind::kExpired));
  EXPECT_THAT(Last(rig).message, HasSubstr("too old"));
  EXPECT_EQ(server.connections(), 1);
}

TEST(WatchFaultsTest, GoneAsTheAnswerExpiresAndStartsAgainOnDemand) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.SayAnswer(410, R"({"code":410,"message":"compacted"})");
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start("3");
  ASSERT_TRUE(rig.UntilKind(Kind::kExpired));
  rig.TurnFor(milliseconds(50));
  EXPECT_EQ(server.connections(), 1);
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST(WatchFaultsTest, ForbiddenForGoodIsDeniedWithTheRuleThatIsMissing) {
  WatchServer server([](Peer& peer) { peer.SayAnswer(403, kForbidden); });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kDenied));
  EXPECT_THAT(
      Last(rig).message,
      AllOf(HasSubstr("verb watch"), HasSubstr("cannot watch"),
            HasSubstr("apiGroups: [coordination.k8s.io]"),
            HasSubstr("resourceNames: [job]"), HasSubstr("verbs: [watch]")));
  rig.TurnFor(milliseconds(100));
  EXPECT_EQ(server.connections(), WatchTiming{}.forbidden_answers);
  EXPECT_THAT(rig.kinds(), ElementsAre(Kind::kClosed, Kind::kDenied));
}

TEST(WatchFaultsTest, ForbiddenByAServerThatJustStartedIsNotFinal) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 2) return Recover(peer);
    peer.SayAnswer(403, kForbidden);
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  EXPECT_EQ(rig.count(Kind::kDenied), 0);
}

TEST(WatchFaultsTest, UnauthorizedAsksForFreshCredentialsAndUsesThem) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.SayAnswer(401, R"({"message":"Unauthorized"})");
  });
  ApiAccess access = PlainAccess(server.port());
  access.bearer_token = "old";
  WatchTiming timing = QuickTiming();
  timing.first_delay = milliseconds(200);
  WatchRig rig(access, timing);
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  EXPECT_EQ(rig.access().refreshes(), 1);
  access.bearer_token = "new";
  rig.access().Set(access);
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  EXPECT_THAT(server.heads()[0], HasSubstr("Authorization:Bearer old\r\n"));
  EXPECT_THAT(server.heads()[1], HasSubstr("Authorization:Bearer new\r\n"));
}

TEST(WatchFaultsTest, ThrottledWaitsAsLongAsTheServerAsks) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.SayAnswer(429, "{}", "Retry-After: 2\r\n");
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  rig.TurnFor(milliseconds(300));
  EXPECT_EQ(server.connections(), 1);
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST(WatchFaultsTest, ARedirectIsNotFollowed) {
  WatchServer other([](Peer& peer) { Recover(peer); });
  WatchServer server([&](Peer& peer) {
    peer.SayAnswer(
        302, "",
        "Location: http://127.0.0.1:" + std::to_string(other.port()) + "/\r\n");
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  EXPECT_THAT(Last(rig).message, HasSubstr("302"));
  EXPECT_EQ(other.connections(), 0);
}

TEST(WatchFaultsTest, AResetIsReportedOnceAndTheWatchComesBack) {
  Gate seen;
  WatchServer server([&](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.SayStreamHead();
    peer.SayChunk(EventLine("MODIFIED", 5));
    peer.Say("40\r\n{\"type\"");
    seen.Wait();
    peer.Reset();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  seen.Open();
  ASSERT_TRUE(rig.Until([&] { return rig.count(Kind::kChanged) == 2; }));
  EXPECT_THAT(rig.kinds(),
              ElementsAre(Kind::kOpened, Kind::kChanged, Kind::kClosed,
                          Kind::kOpened, Kind::kChanged));
  EXPECT_THAT(server.heads()[1], HasSubstr("resourceVersion=5&"));
}

TEST(WatchFaultsTest, AServerThatIsDownIsSaidOnceAndFoundWhenItIsBack) {
  std::uint16_t port = 0;
  {
    WatchServer gone([](Peer&) {});
    port = gone.port();
  }
  WatchRig rig(PlainAccess(port));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  rig.TurnFor(milliseconds(100));
  EXPECT_THAT(rig.kinds(), ElementsAre(Kind::kClosed));
  WatchServer server([](Peer& peer) { Recover(peer); }, nullptr, false, port);
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST(WatchFaultsTest, TheFirstAnswerAfterAnOutageHurries) {
  // A dozen failures on, an answered one would wait for longer than a test.
  WatchTiming timing = QuickTiming();
  timing.first_delay = timing.longest_unanswered_delay = milliseconds(20);
  timing.longest_delay = std::chrono::seconds(300);
  std::uint16_t port = 0;
  {
    WatchServer gone([](Peer&) {});
    port = gone.port();
  }
  WatchRig rig(PlainAccess(port), timing);
  rig.Start();
  rig.TurnFor(milliseconds(600));
  WatchServer server(
      [](Peer& peer) {
        if (peer.nth() > 0) return Recover(peer);
        peer.SayAnswer(503, R"({"message":"starting"})");
      },
      nullptr, false, port);
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST(WatchFaultsTest, AServerThatNeverAnswersIsGivenUpAndTriedAgain) {
  WatchTiming timing = QuickTiming();
  timing.opening = milliseconds(100);
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 1) return Recover(peer);
    if (peer.nth() == 1) peer.Say("HTTP/1.1 200 OK\r\nX: ");
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()), timing);
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  EXPECT_THAT(rig.events()[0].message, HasSubstr("did not answer"));
}

TEST(WatchFaultsTest, AnAnswerWithoutChunksIsRefused) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.Say("HTTP/1.1 200 OK\r\n\r\n" + EventLine("MODIFIED", 1));
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  EXPECT_THAT(rig.events()[0].message, HasSubstr("chunked"));
}

// Each is an answer after which the watch must come back on its own.
class WatchNonsenseTest : public testing::TestWithParam<std::string> {};

TEST_P(WatchNonsenseTest, ClosesAndComesBack) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.Say(GetParam());
    // A head without end would only end at the limit.
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  EXPECT_GE(rig.count(Kind::kClosed), 1);
}

std::string Stream(const std::string& rest) {
  return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + rest;
}

INSTANTIATE_TEST_SUITE_P(
    Answers, WatchNonsenseTest,
    testing::Values("", "\r\n\r\n", "garbage\r\n\r\n", "HTTP/1.1 \r\n\r\n",
                    "HTTP/1.1 99999999999999 x\r\n\r\n",
                    "HTTP/1.1 100 Continue\r\n\r\n",
                    "HTTP/1.1 101 Switching\r\n\r\n",
                    "HTTP/1.1 204 None\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
                    std::string(300, '\0') + "\r\n\r\n", Stream("zz\r\n"),
                    Stream("\r\n\r\n"), Stream("ffffffffffffffffff\r\n"),
                    Stream("4\r\nabc\n\r\n"), Stream("4\r\n{}\n\n\r\n"),
                    Stream("0\r\n\r\n"), Stream("2\r\n\xff\n\r\n"),
                    "HTTP/1.1 200 OK\r\n:\r\n\r\n"));

TEST(WatchFaultsTest, ALineAboveTheLimitIsCutOffAndTheWatchComesBack) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.SayStreamHead();
    const std::string piece(100'000, 'x');
    while (peer.SayChunk(piece)) {
    }
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  ASSERT_EQ(rig.count(Kind::kClosed), 1);
  EXPECT_THAT(rig.events()[1].message, HasSubstr("1048576"));
}

TEST(WatchFaultsTest, ARefusalWithoutEndIsCutOff) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Recover(peer);
    peer.Say("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string piece(10'000, 'x');
    while (peer.SayChunk(piece)) {
    }
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  EXPECT_THAT(rig.events()[0].message, HasSubstr("500"));
}

TEST(WatchFaultsTest, EndingAtOnceAgainAndAgainBacksOff) {
  WatchTiming timing = QuickTiming();
  timing.first_delay = milliseconds(10);
  timing.longest_delay = std::chrono::seconds(5);
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    peer.SayChunk(EventLine("MODIFIED", 1));
    peer.Say("0\r\n\r\n");
  });
  WatchRig rig(PlainAccess(server.port()), timing);
  rig.Start();
  rig.TurnFor(milliseconds(1000));
  // 5 + 10 + 20 + ... ms at the least: the eleventh would come after 5 s.
  EXPECT_LE(server.connections(), 10);
  EXPECT_GE(server.connections(), 2);
}

TEST(WatchFaultsTest, AnotherAddressIsTriedAfterOneThatFails) {
  WatchServer server([](Peer& peer) { Recover(peer); });
  ApiAccess access = PlainAccess(server.port());
  access.addresses = {"127.0.0.77", "127.0.0.1"};  // nobody listens on .77
  WatchRig rig(access);
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST(WatchFaultsTest, WithoutAnAddressItAsksForOneAndWaits) {
  ApiAccess access = PlainAccess(1);
  access.addresses = {};
  WatchRig rig(access);
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  EXPECT_THAT(Last(rig).message, HasSubstr("no address"));
  EXPECT_GE(rig.access().refreshes(), 1);
}

TEST(WatchFaultsTest, AProxyIsDeniedAtOnceWithTheReason) {
  ApiAccess access = PlainAccess(1);
  access.proxy_host = "proxy.test";
  WatchRig rig(access);
  rig.Start();
  ASSERT_TRUE(rig.UntilEvents(1));
  EXPECT_THAT(rig.kinds(), ElementsAre(Kind::kDenied));
  EXPECT_THAT(Last(rig).message, HasSubstr("proxy.test"));
}

}  // namespace
}  // namespace tenure
