// Reads that show older writes of ours, or old versions: what was settled once,
// and what belongs to a term that ended, begins nothing (S5, S6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/authority/authority_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Bench = AuthorityBench;
using Kind = WatchEvent::Kind;

// Revisions that run again after a restore: a write may land on a version that
// was seen before.
TEST(S5Unknown, AWriteCanStillLandOnTheVersionThatComesBack) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  LeaseRecord record = *bench.server.lease();
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  LeaseRecord older = record;
  older.resource_version = "7";
  older.holder = "other";
  bench.Pass(milliseconds(1));
  bench.Fresh(LeaseReply{false, older});
  bench.Step(WatchEvent{Kind::kChanged, record, ""});
  EXPECT_EQ(bench.Told(), Certainty::kUncertain) << "not settled";
  bench.Run(seconds(3));
  EXPECT_EQ(bench.InFlight(), RequestKind::kRead);
}

// A server that shows a write under the version it was based on: what it
// settled once begins nothing again.
TEST(S6Terms, AReadThatShowsOldWritesAgainBeginsNothing) {
  Bench bench;
  bench.server.CreateByHand(Bench::Free());
  bench.Step(Tick{});
  bench.Deliver();
  const std::string version = bench.server.lease()->resource_version;
  bench.Apply();
  LeaseRecord shown = *bench.server.lease();
  shown.resource_version = version;
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(3));
  bench.Answer(LeaseReply{false, shown});
  ASSERT_EQ(bench.Told(), Certainty::kHeld);
  const Duration left = bench.Ask().until_valid_until;
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRenew);
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Answer(LeaseReply{false, shown});
  EXPECT_EQ(bench.Count(Transition::Kind::kAcquired), 1);
  EXPECT_LT(bench.Ask().until_valid_until, left);
}

TEST(S6Terms, AReadThatShowsARenewalOfAnEndedTermBeginsNothing) {
  Bench bench;
  bench.StartRenewing();
  LeaseRecord renewed = *bench.server.lease();
  renewed.write = bench.request->write.write;
  bench.Step(RaiseFloor{bench.Ask().generation});  // ends the term
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(3));
  bench.Answer(LeaseReply{false, renewed});
  EXPECT_EQ(bench.Count(Transition::Kind::kAcquired), 1);
  // The next term, settled by such a read as well.
  bench.Run(seconds(3));
  ASSERT_EQ(bench.InFlight(), RequestKind::kAcquire);
  LeaseRecord acquired = renewed;
  acquired.write = bench.request->write.write;
  acquired.generation = std::to_string(*bench.request->write.generation);
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(3));
  bench.Answer(LeaseReply{false, acquired});
  ASSERT_EQ(bench.Count(Transition::Kind::kAcquired), 2);
  const Duration left = bench.Ask().until_valid_until;
  bench.Run(seconds(2));
  bench.FailWith(ErrorCode::kOutcomeUnknown);
  bench.Run(seconds(2));
  ASSERT_EQ(bench.InFlight(), RequestKind::kRead);
  bench.Answer(LeaseReply{false, renewed});
  EXPECT_LT(bench.Ask().until_valid_until, left);
  EXPECT_EQ(bench.Count(Transition::Kind::kAcquired), 2);
}

}  // namespace
}  // namespace tenure
