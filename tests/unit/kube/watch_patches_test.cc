// What only one of the two builds of the HTTP library can do: ours, which the
// release links (cmake/patches), and Debian's, which development builds link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sidecar/kube/watch_connection.h"
#include "tests/unit/kube/test_pki.h"
#include "tests/unit/kube/watch_rig.h"
#include "tests/unit/kube/watch_server.h"

namespace tenure {
namespace {

using Kind = WatchEvent::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void Stream(Peer& peer) {
  peer.SayStreamHead();
  peer.SayChunk(EventLine("MODIFIED", 99));
  peer.WaitForClose();
}

TEST(WatchPatchesTest, AnIpv6LiteralIsWatchedWhereTheLibraryCan) {
  const TestCa ca;
  const ServingContext context = ServingAs(ca.Issue({.names = {"IP:::1"}}));
  WatchServer server(Stream, context.get(), true);
  ApiAccess access = PlainAccess(server.port());
  access.tls = true;
  access.ca_pem = ca.pem();
  access.host = access.verify_name = "::1";
  access.addresses = {"::1"};
  WatchRig rig(access);
  rig.Start();
  if (WatchReachesIpv6()) {
    ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
    return;
  }
  ASSERT_TRUE(rig.UntilEvents(1));
  EXPECT_THAT(rig.kinds(), ElementsAre(Kind::kDenied));
  EXPECT_THAT(rig.events()[0].message, HasSubstr("IPv6"));
  EXPECT_EQ(server.connections(), 0);
}

TEST(WatchPatchesTest, OfBothFamiliesTheReachableOneIsUsed) {
  WatchServer server(Stream);
  ApiAccess access = PlainAccess(server.port());
  access.host = "kube.test";
  access.addresses = {"::1", "127.0.0.1"};
  WatchRig rig(access);
  rig.Start();
  EXPECT_TRUE(rig.UntilKind(Kind::kChanged));
}

// Debian's library aborts the process at a chunk of size -1 and takes any other
// negative one for a wait without end; ours refuses both. Only an authenticated
// API server can send one.
TEST(WatchPatchesTest, ANegativeChunkSizeIsRefused) {
  if (!WatchReachesIpv6()) {
    GTEST_SKIP() << "linked with Debian's unpatched cpprestsdk, which ABORTS "
                    "at a negative chunk size; the release build is tested";
  }
  for (const char* size : {"-1", "-3", "-80000000", "7fffffff"}) {
    WatchServer server([&](Peer& peer) {
      if (peer.nth() > 0) return Stream(peer);
      peer.SayStreamHead();
      peer.Say(std::string(size) + "\r\nabc\r\n");
      peer.WaitForClose();
    });
    WatchRig rig(PlainAccess(server.port()));
    rig.Start();
    ASSERT_TRUE(rig.UntilKind(Kind::kChanged)) << size;
  }
}

TEST(WatchPatchesTest, HeadersWithoutEndAreRefused) {
  if (!WatchReachesIpv6()) {
    GTEST_SKIP() << "linked with Debian's unpatched cpprestsdk, which holds "
                    "headers of ANY size; the release build is tested";
  }
  WatchServer server([](Peer& peer) {
    if (peer.nth() > 0) return Stream(peer);
    peer.Say("HTTP/1.1 200 OK\r\n");
    const std::string header = "X: " + std::string(100'000, 'x') + "\r\n";
    while (peer.Say(header)) {
    }
  });
  WatchRig rig(PlainAccess(server.port()));
  rig.Start();
  EXPECT_TRUE(rig.UntilKind(Kind::kChanged));
}

}  // namespace
}  // namespace tenure
