#include "sidecar/embedded/lease_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenure::embedded {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LeaseObject Named(const std::string& name, const std::string& holder = "") {
  LeaseObject lease;
  lease.metadata.name_space = "default";
  lease.metadata.name = name;
  if (!holder.empty()) lease.spec.holder_identity = holder;
  return lease;
}

LeaseTable::Key KeyOf(const std::string& name) { return {"default", name}; }

std::vector<std::string> Describe(const std::vector<LeaseVersion>& leases) {
  std::vector<std::string> out;
  for (const LeaseVersion& lease : leases) {
    out.push_back(lease->lease.metadata.name + "@" +
                  std::to_string(lease->resource_version));
  }
  return out;
}

TEST(LeaseTableTest, TheFirstWriteTakesVersionTwoAsOnAnEmptyEtcd) {
  LeaseTable table;
  EXPECT_EQ(table.resource_version(), 1U);
  const LeaseVersion lease = table.Put(Named("a"));
  EXPECT_EQ(lease->resource_version, 2U);
  EXPECT_EQ(lease->lease.metadata.resource_version, "2");
}

TEST(LeaseTableTest, EachChangeTakesOneVersionAlsoADeletion) {
  LeaseTable table;
  table.Put(Named("a"));
  table.Put(Named("b"));
  EXPECT_EQ(table.Remove(KeyOf("a"))->resource_version, 4U);
  EXPECT_EQ(table.Put(Named("a"))->resource_version, 5U);
}

TEST(LeaseTableTest, ListsAreSortedAndKeptToTheirNamespace) {
  LeaseTable table;
  table.Put(Named("b"));
  table.Put(Named("a"));
  LeaseObject other = Named("0");
  other.metadata.name_space = "other";
  table.Put(other);
  EXPECT_THAT(Describe(table.List({"default", {}})), ElementsAre("a@3", "b@2"));
  EXPECT_THAT(Describe(table.List({"", {}})), ElementsAre("a@3", "b@2", "0@4"));
  EXPECT_THAT(Describe(table.List({"", KeyOf("a")})),
              ElementsAre("b@2", "0@4"));
}

TEST(LeaseTableTest, WhatAReaderHoldsDoesNotChangeUnderIt) {
  LeaseTable table;
  const LeaseVersion old = table.Put(Named("a", "x"));
  table.Put(Named("a", "y"));
  EXPECT_EQ(old->lease.spec.holder_identity, "x");
}

TEST(LeaseTableTest, OlderStatesCanBeReadBack) {
  LeaseTable table;
  table.Put(Named("a", "x"));  // 2
  table.Put(Named("b"));       // 3
  table.Put(Named("a", "y"));  // 4
  table.Remove(KeyOf("b"));    // 5
  table.Put(Named("c"));       // 6
  EXPECT_THAT(Describe(*table.ListAt({"default", {}}, 1)), IsEmpty());
  EXPECT_THAT(Describe(*table.ListAt({"default", {}}, 3)),
              ElementsAre("a@2", "b@3"));
  EXPECT_THAT(Describe(*table.ListAt({"default", {}}, 4)),
              ElementsAre("a@4", "b@3"));
  EXPECT_THAT(Describe(*table.ListAt({"default", {}}, 6)),
              ElementsAre("a@4", "c@6"));
  EXPECT_EQ((*table.FindAt(KeyOf("a"), 3))->resource_version, 2U);
  EXPECT_EQ((*table.FindAt(KeyOf("b"), 4))->resource_version, 3U);
  EXPECT_EQ(*table.FindAt(KeyOf("c"), 5), nullptr);
}

TEST(LeaseTableTest, RewindCountsTheChangesOfOneLease) {
  LeaseTable table;
  table.Put(Named("a", "x"));  // 2
  table.Put(Named("b"));       // 3
  table.Put(Named("a", "y"));  // 4
  EXPECT_EQ(table.Rewind(KeyOf("a"), 1), 3U);
  EXPECT_EQ(table.Rewind(KeyOf("a"), 2), 1U);
  EXPECT_EQ(table.Rewind(KeyOf("a"), 9), 1U);
}

TEST(LeaseTableTest, TheListenerHearsEachChangeInOrderWithItsPast) {
  LeaseTable table;
  std::vector<std::string> heard;
  table.SetListener([&heard](const LeaseChange& change) {
    heard.push_back(std::to_string(static_cast<int>(change.type)) + "@" +
                    std::to_string(change.resource_version) + "<" +
                    (change.previous == nullptr
                         ? "-"
                         : std::to_string(change.previous->resource_version)));
  });
  table.Put(Named("a"));
  table.Put(Named("a", "x"));
  table.Remove(KeyOf("a"));
  EXPECT_THAT(heard, ElementsAre("0@2<-", "1@3<2", "2@4<3"));
}

TEST(LeaseTableTest, HistoryIsBoundedAndSaysWhatItForgot) {
  LeaseTable table({.history = 3});
  for (int i = 0; i < 5; ++i) table.Put(Named("a"));  // 2 to 6
  EXPECT_EQ(table.compacted(), 3U);
  EXPECT_EQ(table.ChangesSince(3).size(), 3U);
  EXPECT_EQ(table.FindAt(KeyOf("a"), 2), std::nullopt);
  EXPECT_EQ(table.ListAt({"default", {}}, 2), std::nullopt);
  ASSERT_NE(table.FindAt(KeyOf("a"), 3), std::nullopt);
  EXPECT_EQ((*table.FindAt(KeyOf("a"), 3))->resource_version, 3U);
}

TEST(LeaseTableTest, HistoryIsBoundedInBytesToo) {
  LeaseTable table({.history_bytes = 10'000});
  for (int i = 0; i < 100; ++i) table.Put(Named("a", std::string(1000, 'x')));
  EXPECT_LT(table.ChangesSince(table.compacted()).size(), 10U);
  EXPECT_EQ(table.resource_version(), 101U);
}

TEST(LeaseTableTest, RoomIsBoundedInLeasesAndBytes) {
  LeaseTable table({.leases = 2, .bytes = 10'000});
  table.Put(Named("a"));
  EXPECT_TRUE(table.HasRoomFor(KeyOf("b"), 100));
  table.Put(Named("b"));
  EXPECT_FALSE(table.HasRoomFor(KeyOf("c"), 100));
  EXPECT_TRUE(table.HasRoomFor(KeyOf("b"), 100));
  EXPECT_FALSE(table.HasRoomFor(KeyOf("b"), 10'000));
  table.Remove(KeyOf("a"));
  EXPECT_TRUE(table.HasRoomFor(KeyOf("c"), 100));
}

}  // namespace
}  // namespace tenure::embedded
