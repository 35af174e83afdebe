#include "sidecar/coordinator/snapshot_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tenure {
namespace {

TEST(SnapshotBoard, StartsUncertain) {
  SnapshotBoard board({"a", "b"});
  ASSERT_NE(board.Read(1), nullptr);
  EXPECT_EQ(CertaintyAt(*board.Read(1), Moment{}).certainty,
            Certainty::kUncertain);
}

TEST(SnapshotBoard, TellsItsListenerAfterEachPublish) {
  SnapshotBoard board({"a", "b"});
  std::vector<std::size_t> told;
  board.SetListener([&](std::size_t index) {
    EXPECT_EQ(board.Read(index)->holder, "x");  // outside the mutex
    told.push_back(index);
  });
  AuthoritySnapshot snapshot;
  snapshot.holder = "x";
  board.Publish(1, std::make_shared<const AuthoritySnapshot>(snapshot));
  EXPECT_THAT(told, testing::ElementsAre(1U));
  EXPECT_EQ(board.Read(0)->holder, "");
}

TEST(SnapshotBoard, IsReadWhileItIsPublished) {
  SnapshotBoard board({"a"});
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      const auto snapshot = board.Read(0);
      EXPECT_EQ(snapshot->renewals, snapshot->highest_generation);
    }
  });
  for (int i = 0; i < 20'000; ++i) {
    AuthoritySnapshot snapshot;
    snapshot.renewals = snapshot.highest_generation = i;
    board.Publish(0, std::make_shared<const AuthoritySnapshot>(snapshot));
    board.Beat(Instant{Duration{i}, Duration{i}});
  }
  stop = true;
  reader.join();
  EXPECT_EQ(board.LastBeat().boot, Duration{19'999});
}

}  // namespace
}  // namespace tenure
