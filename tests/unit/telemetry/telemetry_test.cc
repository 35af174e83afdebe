#include "sidecar/telemetry/telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/coordinator/snapshot_board.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

constexpr Duration kGenerous = seconds(30);
constexpr Moment kNow{{seconds(100), seconds(100)},
                      {std::chrono::microseconds(1'700'000'000'000'000)}};

class TelemetryTest : public testing::Test {
 protected:
  // What `use` logs, line by line.
  template <typename Use>
  std::vector<nlohmann::json> Logged(LogLevel level, Use use) {
    TelemetryOptions options;
    options.level = level;
    options.name_space = "ns";
    options.identity = "me";
    testing::internal::CaptureStderr();
    {
      const auto telemetry = Telemetry::New(options, &board_);
      use(*telemetry);
      text_ = telemetry->Render(kNow, false, 0);
      telemetry->Flush(kGenerous);
    }
    std::vector<nlohmann::json> lines;
    std::istringstream stream(testing::internal::GetCapturedStderr());
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(nlohmann::json::parse(line));
    }
    return lines;
  }

  SnapshotBoard board_{{"a"}};
  std::string text_;
};

TEST_F(TelemetryTest, EachTransitionIsOneLineAndOneCount) {
  AuthoritySnapshot snapshot;
  snapshot.settled = true;
  snapshot.server_seen = kNow.instant;
  snapshot.silence_limit = seconds(15);
  snapshot.term = TermSnapshot{7, kNow, seconds(10), seconds(14), false};
  Transition transition;
  transition.kind = Transition::Kind::kAcquired;
  transition.generation = 7;
  const auto lines = Logged(LogLevel::kInfo, [&](Telemetry& telemetry) {
    telemetry.OnTransition("a", transition, snapshot, kNow);
  });
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0], (nlohmann::json{{"ts", "2023-11-14T22:13:20.000000Z"},
                                      {"level", "info"},
                                      {"msg", "Acquired lease"},
                                      {"lease", "a"},
                                      {"namespace", "ns"},
                                      {"holderIdentity", "me"},
                                      {"generation", "7"},
                                      {"state", "held"},
                                      {"remainingMs", 10000}}));
  EXPECT_THAT(text_, HasSubstr("acquisitions_total{lease=\"a\"} 1\n"));
}

TEST_F(TelemetryTest, EveryTransitionHasItsOwnMessage) {
  const auto lines = Logged(LogLevel::kInfo, [&](Telemetry& telemetry) {
    for (int kind = 0; kind <= 10; ++kind) {
      Transition transition;
      transition.kind = static_cast<Transition::Kind>(kind);
      transition.message = "why";
      telemetry.OnTransition("a", transition, {}, kNow);
    }
  });
  ASSERT_THAT(lines, SizeIs(11));
  std::set<std::string> messages;
  for (const nlohmann::json& line : lines) {
    messages.insert(line.at("msg").get<std::string>());
    EXPECT_EQ(line.at("err"), "why");
  }
  EXPECT_THAT(messages, SizeIs(11));
}

TEST_F(TelemetryTest, AnObservedHolderIsNamed) {
  Transition transition;
  transition.kind = Transition::Kind::kHolderObserved;
  transition.holder = "other";
  transition.generation = 5;
  const auto lines = Logged(LogLevel::kInfo, [&](Telemetry& telemetry) {
    telemetry.OnTransition("a", transition, {}, kNow);
  });
  EXPECT_EQ(lines.at(0).at("holderIdentity"), "other");
  EXPECT_EQ(lines.at(0).at("generation"), "5");
}

TEST_F(TelemetryTest, ARowOfFailuresIsSaidOnceAndItsEndToo) {
  StoreError error{ErrorCode::kForbidden, "may not get leases", Duration{0}};
  const auto lines = Logged(LogLevel::kInfo, [&](Telemetry& telemetry) {
    const auto fail = [&] {
      telemetry.OnRequest("a", RequestKind::kRead, error, milliseconds(3));
    };
    fail();
    fail();
    fail();
    error.code = ErrorCode::kNotSent;
    fail();
    for (int i = 0; i < 3; ++i) {
      telemetry.OnRequest("a", RequestKind::kRead, {}, milliseconds(3));
    }
  });
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0].at("reason"), "forbidden");
  EXPECT_EQ(lines[0].at("err"), "may not get leases");
  EXPECT_EQ(lines[0].at("level"), "warn");
  EXPECT_EQ(lines[1].at("reason"), "notSent");
  EXPECT_EQ(lines[2].at("msg"), "API server answered again");
}

TEST_F(TelemetryTest, ALostRaceIsNoFailure) {
  const StoreError lost{ErrorCode::kConflict, "changed", Duration{0}};
  const auto lines = Logged(LogLevel::kInfo, [&](Telemetry& telemetry) {
    telemetry.OnRequest("a", RequestKind::kAcquire, lost, milliseconds(3));
  });
  EXPECT_THAT(lines, SizeIs(0));
}

TEST_F(TelemetryTest, RenewalsAreSeenOnTheDebugLevel) {
  const auto lines = Logged(LogLevel::kDebug, [&](Telemetry& telemetry) {
    telemetry.OnRequest("a", RequestKind::kRenew, {}, milliseconds(3));
  });
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].at("request"), "renew");
  EXPECT_EQ(lines[0].at("durationMs"), 3);
}

TEST_F(TelemetryTest, AThinMarginIsSaidOnceAndItsEndToo) {
  const auto publish = [this](Duration margin) {
    auto snapshot = std::make_shared<AuthoritySnapshot>();
    snapshot->lease_duration_seconds = 15;
    snapshot->renew_deadline = seconds(10);
    snapshot->round_trip_p99 = milliseconds(1);
    snapshot->margin = margin;
    board_.Publish(0, snapshot);
  };
  const auto lines = Logged(LogLevel::kInfo, [&](Telemetry& telemetry) {
    for (const Duration margin :
         {seconds(12), seconds(4), seconds(3), seconds(5)}) {
      publish(margin);
      telemetry.OnRequest("a", RequestKind::kRenew, {}, milliseconds(1));
    }
  });
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].at("msg"), "Margin became thin");
  EXPECT_EQ(lines[0].at("marginMs"), 4000);
  EXPECT_EQ(lines[0].at("neededMs"), 5000);
  EXPECT_EQ(lines[1].at("msg"), "Margin recovered");
}

TEST_F(TelemetryTest, LogTakesAnyKeys) {
  const auto lines = Logged(LogLevel::kInfo, [&](Telemetry& telemetry) {
    telemetry.Log(LogLevel::kInfo, "Started",
                  {{"version", "1"}, {"empty", ""}});
  });
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].at("version"), "1");
  EXPECT_FALSE(lines[0].contains("empty"));
}

}  // namespace
}  // namespace tenure
