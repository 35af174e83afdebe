#include "sidecar/telemetry/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "tests/passing_time.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr Moment kSent{{seconds(100), seconds(100)},
                       {std::chrono::microseconds(1'700'000'000'500'000)}};

Moment After(Duration elapsed) {
  Moment now = kSent;
  PassTime(&now, elapsed);
  return now;
}

class MetricsTest : public testing::Test {
 protected:
  MetricsTest() {
    options_.version = "1.2.3";
    options_.revision = "abc";
  }

  void PublishTerm() {
    auto snapshot = std::make_shared<AuthoritySnapshot>();
    snapshot->identity = "me";
    snapshot->settled = true;
    snapshot->server_seen = kSent.instant;
    snapshot->silence_limit = seconds(15);
    snapshot->term = TermSnapshot{(std::int64_t{1} << 53) - 1, kSent,
                                  seconds(10), milliseconds(14850), false};
    snapshot->highest_generation = (std::int64_t{1} << 53) - 1;
    snapshot->last_renewal = kSent.wall;
    snapshot->renew_interval = milliseconds(1500);
    snapshot->round_trip_p99 = milliseconds(7);
    snapshot->margin = milliseconds(12993);
    board_.Publish(0, snapshot);
  }

  std::string Rendered(const Moment& now) {
    return Metrics(options_, &board_).Render(now, false, 0, 0);
  }

  TelemetryOptions options_;
  SnapshotBoard board_{{"a", "b"}};
};

TEST_F(MetricsTest, EverySeriesIsThereAtZeroFromTheStart) {
  const std::string text = Rendered(kSent);
  for (const char* line :
       {"tenure_build_info{revision=\"abc\",version=\"1.2.3\"} 1\n",
        "tenure_lease_held{lease=\"a\"} 0\n",
        "tenure_lease_held{lease=\"b\"} 0\n",
        "tenure_authority_state{lease=\"a\",state=\"holder\"} 0\n",
        "tenure_authority_state{lease=\"a\",state=\"standby\"} 0\n",
        "tenure_authority_state{lease=\"a\",state=\"uncertain\"} 1\n",
        "tenure_authority_state{lease=\"a\",state=\"released\"} 0\n",
        "tenure_lease_generation{lease=\"a\"} 0\n",
        "tenure_lease_acquisitions_total{lease=\"a\"} 0\n",
        "tenure_authority_lost_total{lease=\"a\",reason=\"expired\"} 0\n",
        "tenure_authority_lost_total{lease=\"a\",reason=\"clock\"} 0\n",
        "tenure_renew_attempts_total{lease=\"a\"} 0\n",
        "tenure_renew_failures_total{lease=\"a\",reason=\"429\"} 0\n",
        "tenure_renew_duration_seconds_count{lease=\"a\"} 0\n",
        "tenure_last_renew_timestamp_seconds{lease=\"a\"} 0\n",
        "tenure_authority_expires_timestamp_seconds{lease=\"a\"} 0\n",
        "tenure_api_retry_after_total{lease=\"a\"} 0\n",
        "tenure_transitions_total{lease=\"b\",transition=\"watchDenied\"} 0\n",
        "tenure_api_requests_total{lease=\"b\",request=\"release\"} 0\n",
        "tenure_log_lines_dropped_total 0\n",
        "process_resident_memory_bytes ",
        "process_cpu_seconds_total ",
        "process_start_time_seconds "}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(MetricsTest, AuthorityIsComputedAtTheMomentOfAsking) {
  PublishTerm();
  EXPECT_THAT(Rendered(After(seconds(9))),
              HasSubstr("tenure_lease_held{lease=\"a\"} 1\n"));
  const std::string doubt = Rendered(After(seconds(11)));
  EXPECT_THAT(doubt, HasSubstr("tenure_lease_held{lease=\"a\"} 0\n"));
  EXPECT_THAT(
      doubt,
      HasSubstr("tenure_authority_state{lease=\"a\",state=\"uncertain\"} 1"));
}

TEST_F(MetricsTest, GaugesShowTheSnapshot) {
  PublishTerm();
  const std::string text = Rendered(After(seconds(1)));
  for (const char* line :
       {"tenure_lease_generation{lease=\"a\"} 9007199254740991\n",
        "tenure_last_renew_timestamp_seconds{lease=\"a\"} 1700000000.5\n",
        "tenure_authority_expires_timestamp_seconds{lease=\"a\"} "
        "1700000015.35\n",
        "tenure_renew_interval_seconds{lease=\"a\"} 1.5\n",
        "tenure_api_round_trip_p99_seconds{lease=\"a\"} 0.007\n",
        "tenure_authority_margin_seconds{lease=\"a\"} 12.993\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(MetricsTest, TransitionsAreCountedByKindAndReason) {
  Metrics metrics(options_, &board_);
  const auto count = [&metrics](Transition::Kind kind, const char* reason) {
    Transition transition;
    transition.kind = kind;
    transition.reason = reason;
    metrics.CountTransition("a", transition);
  };
  count(Transition::Kind::kAcquired, "");
  count(Transition::Kind::kLost, "expired");
  count(Transition::Kind::kLost, "something new");
  count(Transition::Kind::kReleasing, "released");
  const std::string text = metrics.Render(kSent, false, 0, 0);
  for (const char* line :
       {"tenure_lease_acquisitions_total{lease=\"a\"} 1\n",
        "tenure_authority_lost_total{lease=\"a\",reason=\"expired\"} 1\n",
        "tenure_authority_lost_total{lease=\"a\",reason=\"other\"} 1\n",
        "tenure_authority_lost_total{lease=\"a\",reason=\"released\"} 1\n",
        "tenure_transitions_total{lease=\"a\",transition=\"lost\"} 2\n",
        "tenure_lease_acquisitions_total{lease=\"b\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(MetricsTest, EveryReasonOfAFailedRenewalIsCounted) {
  const std::pair<ErrorCode, const char*> cases[] = {
      {ErrorCode::kConflict, "conflict"},      {ErrorCode::kThrottled, "429"},
      {ErrorCode::kForbidden, "auth"},         {ErrorCode::kNotSent, "network"},
      {ErrorCode::kOutcomeUnknown, "unknown"}, {ErrorCode::kRefused, "refused"},
      {ErrorCode::kInternal, "other"}};
  for (const auto& [code, reason] : cases) {
    Metrics metrics(options_, &board_);
    StoreError error;
    error.code = code;
    error.retry_after = seconds(code == ErrorCode::kThrottled ? 1 : 0);
    metrics.CountRequest("a", RequestKind::kRenew, error, milliseconds(3));
    metrics.CountRequest("a", RequestKind::kRenew, std::nullopt,
                         milliseconds(3));
    metrics.CountRequest("a", RequestKind::kRead, error, milliseconds(3));
    const std::string text = metrics.Render(kSent, false, 0, 0);
    EXPECT_THAT(text, HasSubstr("tenure_renew_attempts_total{lease=\"a\"} 2"));
    EXPECT_THAT(text, HasSubstr("tenure_renew_failures_total{lease=\"a\","
                                "reason=\"" +
                                std::string(reason) + "\"} 1\n"));
    EXPECT_THAT(text,
                HasSubstr("tenure_renew_duration_seconds_bucket{lease=\"a\","
                          "le=\"0.005\"} 2\n"));
    EXPECT_THAT(text, HasSubstr(code == ErrorCode::kThrottled
                                    ? "retry_after_total{lease=\"a\"} 2\n"
                                    : "retry_after_total{lease=\"a\"} 0\n"));
  }
}

TEST_F(MetricsTest, AnotherLeaseIsNotCounted) {
  Metrics metrics(options_, &board_);
  metrics.CountRequest("c", RequestKind::kRenew, std::nullopt, seconds(1));
  metrics.CountTransition("c", Transition{});
  EXPECT_THAT(metrics.Render(kSent, false, 0, 0), Not(HasSubstr("\"c\"")));
}

TEST_F(MetricsTest, ClientGosNameIsThereOnlyIfAskedFor) {
  EXPECT_THAT(Rendered(kSent), Not(HasSubstr("leader_election")));
  options_.client_go_alias = true;
  PublishTerm();
  EXPECT_THAT(Rendered(After(seconds(1))),
              HasSubstr("leader_election_master_status{name=\"a\"} 1\n"));
}

TEST_F(MetricsTest, OpenMetricsEndsAndNamesFamiliesItsWay) {
  const std::string text = Metrics(options_, &board_).Render(kSent, true, 3, 5);
  EXPECT_THAT(text, testing::EndsWith("\n# EOF\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE tenure_log_lines_dropped counter\n"
                              "tenure_log_lines_dropped_total 5\n"));
  EXPECT_THAT(text, HasSubstr("\ntenure_clients_connected 3\n"));
}

}  // namespace
}  // namespace tenure
