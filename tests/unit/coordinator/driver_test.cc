// Requests, publication, control and fresh reads of one lease.
#include "sidecar/coordinator/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/driver_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = DriverBench;
using Kind = ControlRequest::Kind;

TEST(Driver, ReadsAcquiresAndPublishes) {
  Bench bench;
  EXPECT_EQ(bench.Ask().certainty, Certainty::kUncertain);
  bench.Acquire(0);
  EXPECT_EQ(bench.Ask().certainty, Certainty::kHeld);
  EXPECT_EQ(bench.Ask().generation, 11);
  EXPECT_THAT(bench.recorder.transitions,
              testing::Contains(
                  std::pair(std::string("a"), Transition::Kind::kAcquired)));
}

TEST(Driver, NamesWhenItIsDueAndRenewsThen) {
  Bench bench;
  bench.Acquire(0);
  while (!bench.stores[0].in_flight) {
    const Duration due = bench.Pump();
    ASSERT_GT(due, Duration{0});
    ASSERT_LE(due, seconds(2));
    bench.Pass(due);
    bench.Pump();
  }
  EXPECT_EQ(bench.InFlight(), RequestKind::kRenew);
}

TEST(Driver, WakesWhenAnAnswerCame) {
  Bench bench;
  bench.Pump();
  const int before = bench.wakes;
  bench.stores[0].Answer(LeaseReply{false, Bench::Free()});
  EXPECT_GT(bench.wakes, before);
}

TEST(Driver, TellsTheRecorderOfEachRequestAndItsRoundTrip) {
  Bench bench;
  bench.Pump();
  bench.Pass(milliseconds(40));
  bench.stores[0].Answer(
      std::unexpected(StoreError{ErrorCode::kForbidden, "no", Duration{0}}));
  bench.Pump();
  EXPECT_THAT(bench.recorder.requests,
              testing::ElementsAre(
                  std::pair(RequestKind::kRead, ErrorCode::kForbidden)));
  EXPECT_EQ(bench.recorder.last_round_trip, milliseconds(40));
}

TEST(Driver, CountsASuspensionIntoARoundTrip) {
  Bench bench;
  bench.Pump();
  bench.now.instant.boot += seconds(3);
  bench.AnswerRead(0, Bench::Free());
  EXPECT_GE(bench.recorder.last_round_trip, seconds(3));
}

// S10: for readers, too.
TEST(Driver, HasPublishedTheEndOfTheTermBeforeTheReleaseLeaves) {
  Bench bench;
  bench.Acquire(0);
  Certainty told = Certainty::kHeld;
  bench.stores[0].on_start = [&](const Request& request) {
    if (request.kind == RequestKind::kRelease) {
      told = bench.Ask().certainty;
    }
  };
  bench.driver->Control({Kind::kRelease, 0, 11}, [](ControlReply) {});
  bench.Pump();
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  EXPECT_NE(told, Certainty::kHeld);
}

// S13: a recorder that hangs delays neither what readers are told nor a
// request; and it hears of each transition once.
TEST(Driver, RecordsOnlyWhatIsPublishedAndSent) {
  Bench bench;
  bench.Acquire(0);
  int heard = 0;
  bench.recorder.on_transition = [&](const Transition& transition) {
    if (transition.kind != Transition::Kind::kReleasing) return;
    ++heard;
    EXPECT_NE(bench.Ask().certainty, Certainty::kHeld);
    EXPECT_EQ(bench.InFlight(), RequestKind::kRelease);
  };
  bench.driver->Control({Kind::kRelease, 0, 11}, [](ControlReply) {});
  EXPECT_EQ(heard, 1);
}

TEST(Driver, RepliesOnceToEachControlRequest) {
  Bench bench;
  bench.Acquire(0);
  int replies = 0;
  std::optional<ErrorCode> last;
  const auto done = [&](const ControlReply& reply) {
    ++replies;
    last.reset();
    if (reply.error) last = reply.error->code;
  };
  bench.driver->Control({Kind::kWork, 0, 11}, done);
  EXPECT_EQ(last, std::nullopt);
  bench.driver->Control({Kind::kWork, 0, 12}, done);
  EXPECT_EQ(last, ErrorCode::kConflict);
  bench.driver->Control({Kind::kRelease, 0, 11}, done);
  EXPECT_EQ(last, ErrorCode::kConflict);
  bench.driver->Control({Kind::kFloor, 0, -1}, done);
  EXPECT_EQ(last, ErrorCode::kInvalidArgument);
  bench.driver->Control({Kind::kRun, 0, 11, {"a run", ""}}, done);
  EXPECT_EQ(last, ErrorCode::kInvalidArgument);
  bench.driver->Control({Kind::kDone, 0, 11}, done);
  EXPECT_EQ(last, std::nullopt);
  EXPECT_EQ(replies, 6);
}

TEST(Driver, DrainsAfterTheWorkAndThenIsFinished) {
  Bench bench;
  bench.Acquire(0);
  bench.driver->Control({Kind::kWork, 0, 11}, [](ControlReply) {});
  bench.driver->StartDraining();
  bench.Pump();
  EXPECT_FALSE(bench.driver->Finished());
  EXPECT_EQ(bench.Ask().certainty, Certainty::kHeld);
  bench.driver->Control({Kind::kDone, 0, 11}, [](ControlReply) {});
  bench.Pump();
  ASSERT_EQ(bench.InFlight(), RequestKind::kRelease);
  bench.AnswerWrite(0);
  EXPECT_TRUE(bench.driver->Finished());
}

class DriverFreshRead : public testing::Test {
 protected:
  void Ask() {
    bench_.Pass(milliseconds(1));
    bench_.driver->Control({Kind::kFreshRead, 0, 0},
                           [this](const ControlReply& reply) {
                             ++answered_;
                             error_ = reply.error;
                           });
    bench_.Pump();
  }
  void Answer(FreshRead read) {
    bench_.Pass(milliseconds(1));
    std::exchange(bench_.stores[0].fresh, nullptr)(std::move(read));
    bench_.Pump();
  }

  Bench bench_;
  int answered_ = 0;
  std::optional<Error> error_;
};

TEST_F(DriverFreshRead, OneServesAllWhoAskedBeforeIt) {
  bench_.Acquire(0);
  for (int i = 0; i < 50; ++i) {
    bench_.driver->Control({Kind::kFreshRead, 0, 0},
                           [this](const ControlReply&) { ++answered_; });
  }
  bench_.Pump();
  EXPECT_EQ(bench_.stores[0].fresh_reads, 1);
  Answer(FreshRead{LeaseReply{false, Bench::HeldBy("me", "11")}});
  EXPECT_EQ(answered_, 50);
}

TEST_F(DriverFreshRead, WhoAsksWhileOneIsUnderWayWaitsForTheNext) {
  bench_.Acquire(0);
  Ask();
  Ask();
  bench_.Pass(seconds(2));
  bench_.Pump();
  EXPECT_EQ(bench_.stores[0].fresh_reads, 1);
  Answer(FreshRead{LeaseReply{false, Bench::HeldBy("me", "11")}});
  EXPECT_EQ(answered_, 1);
  bench_.Pass(seconds(1));
  bench_.Pump();
  Answer(FreshRead{LeaseReply{false, Bench::HeldBy("me", "11")}});
  EXPECT_EQ(answered_, 2);
}

TEST_F(DriverFreshRead, LeavesAtMostOnceASecond) {
  bench_.Acquire(0);
  for (int i = 0; i < 100; ++i) {
    Ask();
    if (bench_.stores[0].fresh) {
      Answer(FreshRead{LeaseReply{false, Bench::HeldBy("me", "11")}});
    }
    bench_.Pass(milliseconds(20));
    bench_.Pump();
  }
  EXPECT_LE(bench_.stores[0].fresh_reads, 3);
  EXPECT_GE(bench_.stores[0].fresh_reads, 2);
}

TEST_F(DriverFreshRead, IsDueWithinTheSecond) {
  bench_.Acquire(0);
  Ask();
  Answer(FreshRead{LeaseReply{false, Bench::HeldBy("me", "11")}});
  Ask();
  EXPECT_LE(bench_.Pump(), seconds(1));
}

TEST_F(DriverFreshRead, LeavesAtOnceAfterASuspension) {
  bench_.Acquire(0);
  Ask();
  Answer(FreshRead{LeaseReply{false, Bench::HeldBy("me", "11")}});
  bench_.now.instant.boot += seconds(1);
  Ask();
  EXPECT_EQ(bench_.stores[0].fresh_reads, 2);
}

TEST_F(DriverFreshRead, WaitersAreBounded) {
  bench_.Acquire(0);
  for (; answered_ < 10'000 && !error_; ++answered_) {
    bench_.driver->Control({Kind::kFreshRead, 0, 0},
                           [this](const ControlReply& reply) {
                             if (reply.error) error_ = reply.error;
                           });
  }
  ASSERT_TRUE(error_);
  EXPECT_EQ(error_->code, ErrorCode::kUnavailable);
  EXPECT_EQ(answered_, 257) << "how many asked";
}

TEST_F(DriverFreshRead, SilenceIsADeadlineAndAnErrorIsWhatTheServerSaid) {
  bench_.Acquire(0);
  const auto error_after = [&](ErrorCode code) {
    bench_.Pass(seconds(1));
    Ask();
    Answer(FreshRead{std::unexpected(StoreError{code, "x", Duration{0}})});
    return error_ ? std::optional(error_->code) : std::nullopt;
  };
  EXPECT_EQ(error_after(ErrorCode::kNotSent), ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(error_after(ErrorCode::kOutcomeUnknown),
            ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(error_after(ErrorCode::kForbidden), ErrorCode::kForbidden);
  EXPECT_EQ(bench_.Ask().certainty, Certainty::kHeld);
}

TEST_F(DriverFreshRead, ThatFindsNoLeaseEndsTheTerm) {
  bench_.Acquire(0);
  Ask();
  Answer(FreshRead{
      std::unexpected(StoreError{ErrorCode::kNotFound, "404", Duration{0}})});
  EXPECT_FALSE(error_);
  EXPECT_NE(bench_.Ask().certainty, Certainty::kHeld);
}

TEST_F(DriverFreshRead, WithoutALeaseTellsNothing) {
  bench_.Acquire(0);
  LeaseRecord page;
  page.unreadable = "expected a Lease object, found a page";
  for (const LeaseRecord& nothing : {page, Bench::HeldBy("me", "")}) {
    error_.reset();
    Ask();
    Answer(FreshRead{LeaseReply{false, nothing}});
    ASSERT_TRUE(error_);
    EXPECT_EQ(error_->code, ErrorCode::kUnavailable);
    EXPECT_EQ(bench_.Ask().certainty, Certainty::kHeld);
    bench_.Pass(seconds(1));
  }
}

// After a restore versions are lower, and what is read is current all the same.
TEST_F(DriverFreshRead, OfALowerVersionIsCurrent) {
  bench_.Acquire(0);
  Ask();
  Answer(FreshRead{LeaseReply{false, Bench::HeldBy("other", "1")}});
  EXPECT_FALSE(error_);
  EXPECT_EQ(bench_.Ask().certainty, Certainty::kStandby);
}

// The state from before a write of ours, answered after it, ends nothing; but
// nobody is told that it agrees.
TEST_F(DriverFreshRead, OvertakenByAWriteOfOursIsReadAgain) {
  bench_.Pump();
  bench_.AnswerRead(0, Bench::Free());
  Ask();
  bench_.AnswerWrite(0);
  Answer(FreshRead{LeaseReply{false, Bench::Free()}});
  ASSERT_TRUE(error_);
  EXPECT_EQ(error_->code, ErrorCode::kUnavailable);
  EXPECT_EQ(bench_.Ask().certainty, Certainty::kHeld);
  EXPECT_EQ(bench_.InFlight(), RequestKind::kRead);
}

TEST_F(DriverFreshRead, OfOurOwnTermOvertakenByARenewalAgrees) {
  bench_.Acquire(0);
  while (!bench_.stores[0].in_flight) bench_.Pass(bench_.Pump());
  Ask();
  bench_.AnswerWrite(0);
  LeaseRecord before = Bench::HeldBy("me", "11");
  Answer(FreshRead{LeaseReply{false, before}});
  EXPECT_EQ(answered_, 1);
  EXPECT_FALSE(error_);
  EXPECT_EQ(bench_.Ask().certainty, Certainty::kHeld);
}

// Who asks waits 5 s at most, and hears what became of the read.
TEST_F(DriverFreshRead, EndsBeforeWhoAskedGivesUp) {
  Bench patient({"a"}, LeaseSetPolicy::kAll, true, "patient");
  patient.Acquire(0);
  patient.driver->Control({Kind::kFreshRead, 0, 0}, [](const ControlReply&) {});
  patient.Pump();
  EXPECT_GT(patient.stores[0].fresh_limit, Duration{0});
  EXPECT_LT(patient.stores[0].fresh_limit, seconds(5));
}

}  // namespace
}  // namespace tenure
