// What a watch does with a server that behaves, and in each phase of its life.
#include "sidecar/kube/watch_stream.h"

#include <dirent.h>
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

int OpenFiles() {
  DIR* const folder = opendir("/proc/self/fd");
  int files = 0;
  while (readdir(folder) != nullptr) ++files;
  closedir(folder);
  return files;
}

TEST(WatchStreamTest, AsksForOneLeaseWithBookmarksAndALimit) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    peer.WaitForClose();
  });
  ApiAccess access = PlainAccess(server.port());
  access.path_prefix = "/k8s/clusters/c-1";
  access.bearer_token = "secret";
  WatchRig rig(access);
  rig.Start("41");
  ASSERT_TRUE(rig.UntilKind(Kind::kOpened));
  ASSERT_EQ(server.heads().size(), 1U);
  EXPECT_THAT(
      server.heads()[0],
      AllOf(StartsWith("GET /k8s/clusters/c-1/apis/coordination.k8s.io/v1/"
                       "namespaces/batch/leases?"),
            HasSubstr("watch=true"), HasSubstr("allowWatchBookmarks=true"),
            HasSubstr("fieldSelector=metadata.name%3Djob"),
            HasSubstr("resourceVersion=41"), HasSubstr("timeoutSeconds=2"),
            HasSubstr("Authorization:Bearer secret\r\n"),
            HasSubstr("User-Agent:tenure/test\r\n"),
            Not(HasSubstr("Accept-Encoding"))));
}

TEST(WatchStreamTest,
     WithoutARevisionItStartsFromACachedStateAndAsksForNoBookmarks) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kOpened));
  // With bookmarks this would be a list by watch, which kube-apiserver refuses
  // on an etcd before 3.4.25.
  EXPECT_THAT(server.heads()[0], AllOf(HasSubstr("resourceVersion=0&"),
                                       Not(HasSubstr("allowWatchBookmarks"))));
}

TEST(WatchStreamTest, ItIsOpenAsSoonAsTheHeadersAreThere) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();  // and never an event
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilEvents(1));
  EXPECT_THAT(rig.kinds(), ElementsAre(Kind::kOpened));
}

TEST(WatchStreamTest, EventsComeInOrderHoweverTheyAreCutIntoChunks) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    for (const char byte : EventLine("ADDED", 1)) {
      peer.SayChunk(std::string_view(&byte, 1));
    }
    std::string ten;
    for (int revision = 2; revision <= 11; ++revision) {
      ten += EventLine("MODIFIED", revision);
    }
    peer.SayChunk(ten);
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.UntilEvents(12));
  EXPECT_EQ(rig.kinds()[0], Kind::kOpened);
  EXPECT_THAT(rig.revisions(), ElementsAre("1", "2", "3", "4", "5", "6", "7",
                                           "8", "9", "10", "11"));
}

TEST(WatchStreamTest, HeadersAndEventsInOnePacketStillOpenFirst) {
  WatchServer server([](Peer& peer) {
    const std::string line = EventLine("ADDED", 1);
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", line.size());
    peer.Say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
             std::string(size) + line + "\r\n");
    peer.WaitForClose();
  });
  for (int round = 0; round < 30; ++round) {
    WatchRig rig(PlainAccess(server.port()));
    rig.Start();
    ASSERT_TRUE(rig.UntilEvents(2));
    ASSERT_THAT(rig.kinds(), ElementsAre(Kind::kOpened, Kind::kChanged));
  }
}

TEST(WatchStreamTest, AtTheServersLimitItGoesOnQuietlyFromWhereItWas) {
  WatchTiming timing = QuickTiming();
  timing.stable = Duration{0};
  Gate seen;
  WatchServer server([&](Peer& peer) {
    peer.SayStreamHead();
    peer.SayChunk(EventLine("MODIFIED", 7 + peer.nth()));
    if (peer.nth() > 0) return peer.WaitForClose();
    seen.Wait();
    peer.Say("0\r\n\r\n");
  });
  WatchRig rig(PlainAccess(server.port()), timing);
  rig.Start("5");
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  seen.Open();
  ASSERT_TRUE(rig.UntilEvents(3));
  EXPECT_THAT(rig.kinds(),
              ElementsAre(Kind::kOpened, Kind::kChanged, Kind::kChanged));
  EXPECT_THAT(server.heads()[1], HasSubstr("resourceVersion=7&"));
}

TEST(WatchStreamTest, ABookmarkMovesThePlaceToGoOnFrom) {
  Gate seen;
  WatchServer server([&](Peer& peer) {
    peer.SayStreamHead();
    if (peer.nth() > 0) return peer.WaitForClose();
    peer.SayChunk(
        R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"90"}}})"
        "\n");
    seen.Wait();
    peer.Reset();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start("5");
  ASSERT_TRUE(rig.UntilKind(Kind::kBookmark));
  seen.Open();
  ASSERT_TRUE(rig.Until([&] { return server.heads().size() == 2; }));
  EXPECT_THAT(server.heads()[1], HasSubstr("resourceVersion=90&"));
}

TEST(WatchStreamTest, ASilentConnectionIsReplacedBeforeTheServerEndsIt) {
  WatchTiming timing = QuickTiming();
  timing.stable = milliseconds(1);
  timing.silence = milliseconds(50);
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()), timing);
  rig.Start();
  ASSERT_TRUE(rig.Until([&] { return server.heads().size() >= 3; }));
  EXPECT_THAT(rig.kinds(), ElementsAre(Kind::kOpened));
}

TEST(WatchStreamTest, ASecondStartReplacesTheFirst) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    peer.SayChunk(EventLine("MODIFIED", 100 + peer.nth()));
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start("1");
  ASSERT_TRUE(rig.UntilEvents(2));
  rig.Start("2");
  ASSERT_TRUE(rig.UntilEvents(4));
  EXPECT_THAT(rig.revisions(), ElementsAre("100", "101"));
  EXPECT_THAT(server.heads()[1], HasSubstr("resourceVersion=2&"));
}

TEST(WatchStreamTest, NothingReachesTheSinkOnceItHasStoppedTheWatch) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    peer.SayChunk(EventLine("MODIFIED", 1) + EventLine("MODIFIED", 2) +
                  EventLine("MODIFIED", 3));
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.on_event = [&](const WatchEvent& event) {
    if (event.kind == Kind::kChanged) rig.Stop();
  };
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  rig.TurnFor(milliseconds(50));
  EXPECT_THAT(rig.revisions(), ElementsAre("1"));
}

TEST(WatchStreamTest, ALoopThatTakesNoTasksGetsTheNewestEventsLater) {
  WatchServer server([](Peer& peer) {
    peer.SayStreamHead();
    for (int revision = 1; revision <= 200; ++revision) {
      peer.SayChunk(EventLine("MODIFIED", revision));
    }
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Accept(false);
  rig.Start();
  ASSERT_TRUE(rig.Until([&] { return server.heads().size() == 1; }));
  rig.TurnFor(milliseconds(300));
  EXPECT_THAT(rig.events(), IsEmpty());
  rig.Accept(true);
  ASSERT_TRUE(rig.Until([&] {
    return !rig.events().empty() &&
           rig.events().back().record.resource_version == "200";
  }));
  EXPECT_LE(rig.events().size(), 201U);
}

TEST(WatchStreamTest, ManyRecordsDoNotPushOutWhatBefellTheConnection) {
  WatchServer server([](Peer& peer) {
    if (peer.nth() == 0) {
      peer.Say("HTTP/1.1 500 No\r\n\r\n");
      return;
    }
    peer.SayStreamHead();
    for (int revision = 1; revision <= 200; ++revision) {
      peer.SayChunk(EventLine("MODIFIED", revision));
    }
    peer.WaitForClose();
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Accept(false);
  rig.Start();
  ASSERT_TRUE(rig.Until([&] { return server.heads().size() == 2; }));
  rig.TurnFor(milliseconds(300));
  rig.Accept(true);
  ASSERT_TRUE(rig.Until([&] {
    return !rig.events().empty() &&
           rig.events().back().record.resource_version == "200";
  }));
  EXPECT_EQ(rig.count(Kind::kClosed), 1);
  EXPECT_EQ(rig.count(Kind::kOpened), 1);
}

TEST(WatchStreamTest, StopsInEveryPhaseWithoutAnEventOrAFileLeft) {
  WatchServer server([](Peer& peer) {
    switch (peer.nth() % 4) {
      case 0:  // before the headers
        return peer.WaitForClose();
      case 1:  // in the headers
        peer.Say("HTTP/1.1 200 OK\r\nTransfer-");
        return peer.WaitForClose();
      case 2:  // in a chunk
        peer.SayStreamHead();
        peer.Say("40\r\n{\"type\":");
        return peer.WaitForClose();
      default:  // between events
        peer.SayStreamHead();
        peer.SayChunk(EventLine("MODIFIED", 1));
        return peer.WaitForClose();
    }
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  ASSERT_TRUE(rig.Until([&] { return server.heads().size() == 1; }));
  const int files = OpenFiles();
  for (std::size_t round = 1; round < 200; ++round) {
    const std::size_t before = server.heads().size();
    rig.Start();
    if (round % 8 == 0) continue;  // stopped before it dialled, or amid it
    ASSERT_TRUE(rig.Until([&] { return server.heads().size() > before; }));
  }
  rig.Stop();
  const std::size_t events = rig.events().size();
  ASSERT_TRUE(rig.Until([&] { return OpenFiles() <= files; }))
      << OpenFiles() << " files are open, " << files << " were";
  EXPECT_EQ(rig.events().size(), events);
}

TEST(WatchStreamTest, StopWhileBackingOffForgetsTheNextAttempt) {
  WatchTiming timing = QuickTiming();
  timing.first_delay = timing.longest_delay = milliseconds(600);
  WatchServer server([](Peer& peer) { peer.SayAnswer(500, "{}"); });
  WatchRig rig(PlainAccess(server.port()), timing);
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  rig.Stop();
  const int before = server.connections();
  rig.TurnFor(milliseconds(700));
  EXPECT_EQ(server.connections(), before);
}

TEST(WatchStreamTest, DestructionInTheMiddleOfAStreamIsSafe) {
  for (int round = 0; round < 20; ++round) {
    WatchServer server([](Peer& peer) {
      peer.SayStreamHead();
      while (peer.SayChunk(EventLine("MODIFIED", 1))) {
      }
    });
    WatchRig rig(PlainAccess(server.port()));
    rig.Start();
    ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
    rig.Destroy();
  }
}

}  // namespace
}  // namespace tenure
