#include "sidecar/kube/watch_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sidecar/base/prng.h"
#include "tests/unit/kube/watch_server.h"

namespace tenure {
namespace {

using Kind = WatchEvent::Kind;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

auto Is(Kind kind, const std::string& revision) {
  return AllOf(Field(&WatchEvent::kind, kind),
               Field(&WatchEvent::record,
                     Field(&LeaseRecord::resource_version, revision)));
}

auto Fails(Kind kind, const std::string& why) {
  return AllOf(Field(&WatchEvent::kind, kind),
               Field(&WatchEvent::message, HasSubstr(why)));
}

std::string Bookmark(std::int64_t revision) {
  return R"({"type":"BOOKMARK","object":{"kind":"Lease","apiVersion":)"
         R"("coordination.k8s.io/v1","metadata":{"resourceVersion":")" +
         std::to_string(revision) +
         R"(","creationTimestamp":null},"spec":{}}})"
         "\n";
}

std::string Error(int code, const std::string& message) {
  return R"({"type":"ERROR","object":{"kind":"Status","code":)" +
         std::to_string(code) + R"(,"message":")" + message + "\"}}\n";
}

TEST(WatchDecoderTest, EachKindOfLineBecomesItsEvent) {
  WatchDecoder decoder;
  EXPECT_THAT(decoder.Feed(EventLine("ADDED", 5) + EventLine("MODIFIED", 6) +
                           Bookmark(7) + EventLine("DELETED", 8)),
              ElementsAre(Is(Kind::kChanged, "5"), Is(Kind::kChanged, "6"),
                          Is(Kind::kBookmark, "7"), Is(Kind::kDeleted, "8")));
  EXPECT_FALSE(decoder.dead());
}

TEST(WatchDecoderTest, ARecordIsDecodedAndItsDocumentKeptAsSent) {
  const std::string line = EventLine("MODIFIED", 6, "pod_uid_2");
  const std::vector<WatchEvent> events = WatchDecoder().Feed(line);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].record.holder, "pod_uid_2");
  EXPECT_EQ(events[0].record.uid, "u-1");
  EXPECT_EQ(events[0].record.unreadable, "");
  EXPECT_THAT(line, HasSubstr(events[0].record.document));
  EXPECT_THAT(events[0].record.document, HasSubstr("\"kind\":\"Lease\""));
}

TEST(WatchDecoderTest, ABookmarkCarriesItsRevisionAndNothingElse) {
  const std::vector<WatchEvent> events = WatchDecoder().Feed(Bookmark(77));
  ASSERT_THAT(events, ElementsAre(Is(Kind::kBookmark, "77")));
  EXPECT_EQ(events[0].record.document, "");
  EXPECT_EQ(events[0].record.unreadable, "");
}

TEST(WatchDecoderTest, EverySplitInTwoGivesTheSameEvents) {
  const std::string stream = EventLine("ADDED", 5) + "\n\r\n" + Bookmark(6) +
                             EventLine("DELETED", 7, R"(a\"b}{][,\\)");
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    WatchDecoder decoder;
    std::vector<WatchEvent> events = decoder.Feed(stream.substr(0, cut));
    for (WatchEvent& event : decoder.Feed(stream.substr(cut))) {
      events.push_back(std::move(event));
    }
    ASSERT_THAT(events,
                ElementsAre(Is(Kind::kChanged, "5"), Is(Kind::kBookmark, "6"),
                            Is(Kind::kDeleted, "7")))
        << "cut at " << cut;
    ASSERT_EQ(events[2].record.holder, R"(a"b}{][,\)");
  }
}

TEST(WatchDecoderTest, ByteByByteGivesTheSameEvents) {
  WatchDecoder decoder;
  std::vector<WatchEvent> events;
  for (const char byte : EventLine("ADDED", 5) + Bookmark(6)) {
    for (WatchEvent& event : decoder.Feed(std::string_view(&byte, 1))) {
      events.push_back(std::move(event));
    }
  }
  EXPECT_THAT(events,
              ElementsAre(Is(Kind::kChanged, "5"), Is(Kind::kBookmark, "6")));
}

TEST(WatchDecoderTest, OrderAndSpacesOfTheEnvelopeDoNotMatter) {
  const std::string line =
      R"( { "object" : {"metadata":{"uid":"u","resourceVersion":"9"}} , )"
      R"("more":[1,{"a":"]"},null] ,"type" : "MODIFIED" } )"
      "\r\n";
  EXPECT_THAT(WatchDecoder().Feed(line), ElementsAre(Is(Kind::kChanged, "9")));
}

TEST(WatchDecoderTest, GoneIsExpiredAndAnyOtherErrorIsClosed) {
  EXPECT_THAT(WatchDecoder().Feed(Error(410, "too old resource version")),
              ElementsAre(Fails(Kind::kExpired, "too old")));
  EXPECT_THAT(WatchDecoder().Feed(Error(500, "etcd said no")),
              ElementsAre(Fails(Kind::kClosed, "etcd said no")));
}

TEST(WatchDecoderTest, AfterAnErrorNothingMoreIsDecoded) {
  WatchDecoder decoder;
  EXPECT_THAT(decoder.Feed(EventLine("ADDED", 5) + Error(410, "gone") +
                           EventLine("MODIFIED", 6)),
              ElementsAre(Is(Kind::kChanged, "5"), Fails(Kind::kExpired, "")));
  EXPECT_TRUE(decoder.dead());
  EXPECT_THAT(decoder.Feed(EventLine("MODIFIED", 7)), IsEmpty());
}

TEST(WatchDecoderTest, ALeaseThatMakesNoSenseIsAnEventAllTheSame) {
  // S9: an unreadable record is treated as held; dropping it would hide it.
  const std::vector<WatchEvent> events = WatchDecoder().Feed(
      R"({"type":"MODIFIED","object":{"metadata":{"resourceVersion":"8"},)"
      R"("spec":{"leaseDurationSeconds":"long"}}})"
      "\n");
  ASSERT_THAT(events, ElementsAre(Is(Kind::kChanged, "8")));
  EXPECT_NE(events[0].record.unreadable, "");
}

TEST(WatchDecoderTest, ALineAtTheLimitPassesAndOneByteMoreDoesNot) {
  const std::string line = EventLine("ADDED", 5);
  WatchDecoder exact(line.size() - 1);  // the newline does not count
  EXPECT_THAT(exact.Feed(line), ElementsAre(Is(Kind::kChanged, "5")));
  WatchDecoder tight(line.size() - 2);
  EXPECT_THAT(tight.Feed(line), ElementsAre(Fails(Kind::kClosed, "limit")));
}

TEST(WatchDecoderTest, ALineWithoutEndIsGivenUpAtTheLimit) {
  WatchDecoder decoder(1000);
  EXPECT_THAT(decoder.Feed(std::string(600, 'x')), IsEmpty());
  EXPECT_THAT(decoder.Feed(std::string(600, 'x')),
              ElementsAre(Fails(Kind::kClosed, "limit of 1000 bytes")));
  EXPECT_TRUE(decoder.dead());
}

class WatchDecoderGarbageTest : public testing::TestWithParam<std::string> {};

TEST_P(WatchDecoderGarbageTest, GarbageClosesTheStreamAndIsShown) {
  const std::vector<WatchEvent> events = WatchDecoder().Feed(GetParam() + "\n");
  ASSERT_THAT(events, ElementsAre(Fails(Kind::kClosed, "expected a")));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, WatchDecoderGarbageTest,
    testing::Values("x", "{", "{}", "[]", "null", R"({"type":"ADDED"})",
                    R"({"type":"ADDED","object":})",
                    R"({"type":"ADDED","object":{)",
                    R"({"type":"ADDED","object":{}} trailing)",
                    R"({"type":"ADDED" "object":{}})",
                    R"({"type":"ADDED","object":"unended)",
                    R"({"type":"ADDED\)", R"({"type":"ADDED","object":{}}})",
                    R"({"type":"SURPRISE","object":{}})",
                    R"({"type":7,"object":{}})", std::string(3, '\0'),
                    "\xff\xfe<html>"));

TEST(WatchDecoderTest, RandomDamageNeverDoesMoreThanCloseTheStream) {
  const std::string good = EventLine("ADDED", 5) + Bookmark(6);
  Prng prng(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (std::uint64_t hits = 1 + prng.Below(4); hits > 0; --hits) {
      bytes[prng.Below(bytes.size())] = static_cast<char>(prng.Below(256));
    }
    WatchDecoder decoder(4096);
    const std::vector<WatchEvent> events = decoder.Feed(bytes);
    ASSERT_LE(events.size(), 8U) << "round " << round;
    ASSERT_EQ(decoder.dead(),
              !events.empty() && !events.back().message.empty());
  }
}

TEST(WatchDecoderTest, DeepNestingIsRefusedWithoutRecursion) {
  const std::string deep = R"({"type":"ADDED","object":)" +
                           std::string(400'000, '[') +
                           std::string(400'000, ']') + "}\n";
  const std::vector<WatchEvent> events = WatchDecoder().Feed(deep);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_NE(events[0].record.unreadable, "");
}

}  // namespace
}  // namespace tenure
