#include "sidecar/authority/lease_record.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

LeaseRecord Record() {
  LeaseRecord record;
  record.uid = "u";
  record.resource_version = "5";
  record.holder = "a";
  record.duration_seconds = 15;
  record.acquire_time = WallTime{std::chrono::seconds(1)};
  record.renew_time = WallTime{std::chrono::seconds(2)};
  record.transitions = 3;
  record.generation = "4";
  record.write = WriteMark("a", Entropy{1, 2});
  record.document = "{}";
  return record;
}

TEST(LeaseRecord, ARelabellingIsNoChange) {
  LeaseRecord after = Record();
  after.resource_version = "6";
  after.document = "{\"labels\": 1}";
  after.transitions = 9;
  EXPECT_FALSE(Changed(Record(), after));
}

TEST(LeaseRecord, EveryFieldThatAHolderWritesIsAChange) {
  const auto changed = [](auto edit) {
    LeaseRecord after = Record();
    edit(after);
    return Changed(Record(), after);
  };
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.uid = "v"; }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.holder = "b"; }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.duration_seconds = 14; }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.duration_seconds.reset(); }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.acquire_time.reset(); }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.renew_time.reset(); }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.generation = "5"; }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.write += "0"; }));
  EXPECT_TRUE(changed([](LeaseRecord& r) { r.unreadable = "garbled"; }));
}

TEST(LeaseRecord, OnlyTheReleaseFormIsReleased) {
  LeaseRecord record = Record();
  EXPECT_FALSE(IsReleased(record));
  record.duration_seconds = 1;
  EXPECT_FALSE(IsReleased(record));  // a holder with a short lease
  record.holder.clear();
  EXPECT_TRUE(IsReleased(record));
  record.duration_seconds = 15;
  EXPECT_FALSE(IsReleased(record));  // emptied by something else
  record.duration_seconds.reset();
  EXPECT_FALSE(IsReleased(record));
  record.duration_seconds = 1;
  record.unreadable = "garbled";
  EXPECT_FALSE(IsReleased(record));
}

TEST(LeaseRecord, AMarkNamesTheWriterAndAllRandomBits) {
  const std::string mark = WriteMark("pod_uid_1", Entropy{0xABC, 0x1});
  EXPECT_EQ(mark, "pod_uid_1:0000000000000abc0000000000000001");
  EXPECT_NE(mark, WriteMark("pod_uid_1", Entropy{0xABC, 0x2}));
  EXPECT_NE(mark, WriteMark("pod_uid_1", Entropy{0xABD, 0x1}));
  EXPECT_NE(mark, WriteMark("pod_uid_2", Entropy{0xABC, 0x1}));
}

TEST(LeaseRecord, ThePresentHolderWroteOnlyIfTheMarkIsWhollyItsOwn) {
  LeaseRecord record = Record();
  EXPECT_TRUE(WrittenByHolder(record));
  record.holder = "ab";
  EXPECT_FALSE(WrittenByHolder(record));
  record.holder = "";
  EXPECT_FALSE(WrittenByHolder(record));
  record = Record();
  record.write = "a";
  EXPECT_FALSE(WrittenByHolder(record));
  // S8: compared whole, even where an identity holds a colon.
  record.holder = "a:b";
  record.write = WriteMark("a:b", Entropy{3, 4});
  EXPECT_TRUE(WrittenByHolder(record));
  record.holder = "a";
  EXPECT_FALSE(WrittenByHolder(record));
}

}  // namespace
}  // namespace tenure
