#include "sidecar/server/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/unit/server/snapshots.h"

namespace tenure {
namespace {

using nlohmann::json;

json StatusAt(const AuthoritySnapshot& snapshot, Duration after) {
  const LeaseSight lease{"demo", &snapshot};
  Sight sight;
  sight.name_space = "jobs";
  sight.leases = std::span(&lease, 1);
  sight.now = At(after);
  return json::parse(StatusJson(sight, lease));
}

TEST(Documents, StatusWhileHeldSaysAllOfIt) {
  EXPECT_EQ(StatusAt(Held(41), milliseconds(2'500)), json::parse(R"({
    "lease": "demo", "namespace": "jobs", "identity": "pod-a_uid_1",
    "certainty": "held", "generation": "41",
    "remainingMs": {"toRenewBy": 7500, "toValidUntil": 12350},
    "draining": false, "workRunning": 0,
    "holder": "pod-a_uid_1", "holderGeneration": "41",
    "durationsMs": {"lease": 15000, "renewDeadline": 10000,
                    "renewInterval": 2000, "tryLimit": 1500, "takeOver": 15150},
    "lastRenewal": "2027-01-15T08:00:00.000000Z", "renewals": 7,
    "roundTripMs": {"last": 4.213, "p99": 12.0}, "marginMs": 12900})"));
}

TEST(Documents, StatusNamesRunsThatAreUnderWay) {
  AuthoritySnapshot held = Held(41);
  EXPECT_FALSE(StatusAt(held, seconds(1)).contains("runsUnderWay"));
  held.runs_under_way = {"bill-20", "bill-21"};
  EXPECT_EQ(StatusAt(held, seconds(1))["runsUnderWay"],
            (json{"bill-20", "bill-21"}));
}

TEST(Documents, OfSlotsStatusSaysThatAnotherWouldDo) {
  const AuthoritySnapshot held = Held(41);
  const LeaseSight lease{"demo-1", &held};
  Sight sight;
  sight.leases = std::span(&lease, 1);
  sight.now = At(Duration{0});
  EXPECT_FALSE(json::parse(StatusJson(sight, lease)).contains("slot"));
  sight.lease_set = LeaseSetPolicy::kAny;
  EXPECT_EQ(json::parse(StatusJson(sight, lease))["slot"], true);
}

TEST(Documents, TheGenerationIsServedOnlyWhileHeld) {
  EXPECT_TRUE(StatusAt(Held(41), milliseconds(9'999)).contains("generation"));
  const json uncertain = StatusAt(Held(41), seconds(10));
  EXPECT_EQ(uncertain["certainty"], "uncertain");
  EXPECT_EQ(uncertain["reason"], "renewBy");
  EXPECT_FALSE(uncertain.contains("generation"));
  EXPECT_EQ(uncertain["remainingMs"]["toRenewBy"], 0);
  EXPECT_EQ(uncertain["remainingMs"]["toValidUntil"], 4850);
  const json standby = StatusAt(Held(41), milliseconds(14'850));
  EXPECT_EQ(standby["certainty"], "standby");
  EXPECT_FALSE(standby.contains("generation"));
}

TEST(Documents, RemainingTimeIsRoundedDown) {
  const json status = StatusAt(Held(41), std::chrono::microseconds(1));
  EXPECT_EQ(status["remainingMs"]["toRenewBy"], 9999);
}

TEST(Documents, StatusWhileStandbyNamesWhatWasObserved) {
  AuthoritySnapshot snapshot = Standby("pod-b", 12);
  snapshot.draining = true;
  snapshot.work_running = 2;
  snapshot.refusal = "set minGeneration";
  snapshot.refusal_reason = "generation";
  json status = StatusAt(snapshot, seconds(1));
  EXPECT_EQ(status["certainty"], "standby");
  EXPECT_FALSE(status.contains("reason"));
  EXPECT_EQ(status["holder"], "pod-b");
  EXPECT_EQ(status["holderGeneration"], "12");
  EXPECT_EQ(status["draining"], true);
  EXPECT_EQ(status["workRunning"], 2);
  EXPECT_EQ(status["refusal"], "set minGeneration");
  EXPECT_EQ(status["refusalReason"], "generation");
  EXPECT_FALSE(status.contains("serverError"));
  snapshot.server_error = "Connection refused";
  EXPECT_EQ(StatusAt(snapshot, seconds(1))["serverError"],
            "Connection refused");
  EXPECT_FALSE(status.contains("lastRenewal"));
  status = StatusAt(Standby("", 0), seconds(1));
  EXPECT_EQ(status["holder"], "");
  EXPECT_FALSE(status.contains("holderGeneration"));
}

TEST(Documents, TheLastRunIsToldToReadersAndToTheControlSocket) {
  AuthoritySnapshot snapshot = Held(41);
  EXPECT_FALSE(StatusAt(snapshot, seconds(1)).contains("lastRun"));
  snapshot.last_run = {"by-hand", "bill-20"};
  const json run = {{"id", "by-hand"}, {"order", "bill-20"}};
  EXPECT_EQ(StatusAt(snapshot, seconds(1))["lastRun"], run);
  const LeaseSight lease{"demo", &snapshot};
  Sight sight;
  sight.now = At(seconds(1));
  EXPECT_EQ(json::parse(AuthorityJson(sight, lease))["lastRun"], run);
}

TEST(Documents, AHolderThatIsNotUtf8DoesNotBreakTheDocument) {
  const json status = StatusAt(Standby("a\xff\x01\"b", 0), seconds(1));
  EXPECT_EQ(status["holder"], "a\xEF\xBF\xBD\x01\"b");
}

TEST(Documents, SeveralLeasesAreListedInOrder) {
  const AuthoritySnapshot held = Held(41);
  const AuthoritySnapshot standby = Standby("pod-b", 12);
  const std::vector<LeaseSight> leases = {{"a", &held}, {"b", &standby}};
  Sight sight;
  sight.leases = leases;
  sight.now = At(seconds(1));
  const json all = json::parse(AllStatusJson(sight));
  ASSERT_EQ(all["leases"].size(), 2U);
  EXPECT_EQ(all["leases"][0]["lease"], "a");
  EXPECT_EQ(all["leases"][0]["certainty"], "held");
  EXPECT_EQ(all["leases"][1]["certainty"], "standby");
}

TEST(Documents, TimestampsCarrySixDigits) {
  AuthoritySnapshot snapshot = Held(1);
  snapshot.last_renewal.since_epoch =
      std::chrono::microseconds(1'700'000'000'000'042);
  EXPECT_EQ(StatusAt(snapshot, seconds(1))["lastRenewal"],
            "2023-11-14T22:13:20.000042Z");
}

}  // namespace
}  // namespace tenure
