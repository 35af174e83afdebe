// Several leases in one process: all in sorted order, or any one slot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/driver_bench.h"

namespace tenure {
namespace {

using std::chrono::seconds;
using Bench = DriverBench;

// Answers every read with a free Lease; leaves writes alone.
void AnswerReads(Bench& bench) {
  for (std::size_t i = 0; i < bench.stores.size(); ++i) {
    if (bench.InFlight(i) == RequestKind::kRead) {
      bench.AnswerRead(i, Bench::Free());
    }
  }
}

TEST(DriverLeases, AreAcquiredInSortedOrder) {
  Bench bench({"a", "b", "c"});
  bench.Pump();
  AnswerReads(bench);
  EXPECT_EQ(bench.InFlight(0), RequestKind::kAcquire);
  EXPECT_EQ(bench.InFlight(1), std::nullopt);
  EXPECT_EQ(bench.InFlight(2), std::nullopt);
  bench.AnswerWrite(0);
  EXPECT_EQ(bench.InFlight(1), RequestKind::kAcquire);
  EXPECT_EQ(bench.InFlight(2), std::nullopt);
  bench.AnswerWrite(1);
  EXPECT_EQ(bench.InFlight(2), RequestKind::kAcquire);
  bench.AnswerWrite(2);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.Ask(i).certainty, Certainty::kHeld);
  }
}

TEST(DriverLeases, ALaterOneIsReleasedWhenAnEarlierOneIsLost) {
  Bench bench({"a", "b"});
  bench.Pump();
  AnswerReads(bench);
  bench.AnswerWrite(0);
  bench.AnswerWrite(1);
  bench.driver->Control({ControlRequest::Kind::kFreshRead, 0, 0},
                        [](ControlReply) {});
  bench.Pump();
  bench.stores[0].fresh(
      FreshRead{LeaseReply{false, Bench::HeldBy("other", "90")}});
  bench.Pump();
  EXPECT_NE(bench.Ask(0).certainty, Certainty::kHeld);
  EXPECT_EQ(bench.InFlight(1), RequestKind::kRelease);
}

TEST(DriverLeases, ALaterOneIsNotReleasedUnderRunningWork) {
  Bench bench({"a", "b"});
  bench.Pump();
  AnswerReads(bench);
  bench.AnswerWrite(0);
  bench.AnswerWrite(1);
  const std::int64_t generation = bench.Ask(1).generation;
  bench.driver->Control({ControlRequest::Kind::kWork, 1, generation},
                        [](ControlReply) {});
  bench.driver->Control({ControlRequest::Kind::kFreshRead, 0, 0},
                        [](ControlReply) {});
  bench.Pump();
  bench.stores[0].fresh(
      FreshRead{LeaseReply{false, Bench::HeldBy("other", "90")}});
  bench.Pump();
  EXPECT_NE(bench.InFlight(1), RequestKind::kRelease);
  bench.driver->Control({ControlRequest::Kind::kDone, 1, generation},
                        [](ControlReply) {});
  bench.Pump();
  EXPECT_EQ(bench.InFlight(1), RequestKind::kRelease);
}

TEST(DriverLeases, OneSlotIsTakenAndTheOthersAreLeft) {
  Bench bench({"a-0", "a-1", "a-2"}, LeaseSetPolicy::kAny);
  bench.Pump();
  bench.AnswerRead(0, Bench::HeldBy("other"));
  bench.AnswerRead(1, Bench::Free());
  bench.AnswerRead(2, Bench::Free());
  int acquiring = 0;
  std::size_t which = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (bench.InFlight(i) != RequestKind::kAcquire) continue;
    ++acquiring;
    which = i;
  }
  ASSERT_EQ(acquiring, 1);
  bench.AnswerWrite(which);
  for (int i = 0; i < 30; ++i) {
    bench.Pass(seconds(1));
    bench.Pump();
    for (std::size_t slot = 0; slot < 3; ++slot) {
      if (slot == which && bench.InFlight(slot) == RequestKind::kRenew) {
        bench.AnswerWrite(slot);
      } else if (bench.InFlight(slot) == RequestKind::kRead) {
        bench.AnswerRead(slot,
                         slot == 0 ? Bench::HeldBy("other") : Bench::Free());
      }
      EXPECT_NE(bench.InFlight(slot), RequestKind::kAcquire);
    }
  }
  EXPECT_EQ(bench.Ask(which).certainty, Certainty::kHeld);
}

TEST(DriverLeases, AreFinishedWhenEachIs) {
  Bench bench({"a", "b"});
  bench.Pump();
  AnswerReads(bench);
  bench.AnswerWrite(0);
  bench.AnswerWrite(1);
  bench.driver->StartDraining();
  bench.Pump();
  bench.AnswerWrite(0);
  EXPECT_FALSE(bench.driver->Finished());
  bench.AnswerWrite(1);
  EXPECT_TRUE(bench.driver->Finished());
}

}  // namespace
}  // namespace tenure
