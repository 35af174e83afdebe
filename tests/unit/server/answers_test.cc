#include "sidecar/server/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/server/snapshots.h"

namespace tenure {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// One instant in each certainty.
struct Case {
  const char* name;
  AuthoritySnapshot snapshot;
  Duration after;
  int status;
};

std::vector<Case> EveryCertainty() {
  AuthoritySnapshot doubt = Held(41);
  doubt.term->clock_doubt = true;
  return {
      {"held", Held(41), seconds(1), 200},
      {"held to the last", Held(41), seconds(10) - Duration{1}, 200},
      {"past renew_by", Held(41), seconds(10), 503},
      {"clock in doubt", doubt, seconds(1), 503},
      {"past valid_until", Held(41), milliseconds(14'850), 409},
      {"standby", Standby("pod-b", 12), seconds(1), 409},
      {"silence", Standby("pod-b", 12), seconds(15), 503},
      {"unsettled", Unsettled(), seconds(1), 503},
  };
}

struct Setting {
  ReadinessPolicy readiness = ReadinessPolicy::kCertain;
  LeaseSetPolicy lease_set = LeaseSetPolicy::kAll;
  Duration beat_after{0};
};

Sight SightOf(const std::vector<LeaseSight>& leases, Duration after,
              const Setting& setting = {}) {
  Sight sight;
  sight.name_space = "jobs";
  sight.leases = leases;
  sight.now = At(after);
  sight.last_beat = At(setting.beat_after).instant;
  sight.readiness = setting.readiness;
  sight.lease_set = setting.lease_set;
  return sight;
}

HttpReply Ask(const Plan& plan, const std::vector<AuthoritySnapshot>& snapshots,
              Duration after, const Setting& setting = {}) {
  std::vector<LeaseSight> leases;
  const char* const names[] = {"a", "b", "c"};
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    leases.push_back({names[i], &snapshots[i]});
  }
  HttpReply reply;
  Answer(plan, SightOf(leases, after, setting), &reply);
  return reply;
}

Plan Asking(Route route, bool json = false) {
  Plan plan;
  plan.route = route;
  plan.json = json;
  plan.lease = 0;
  return plan;
}

TEST(Answers, GenerationIsTheBareDecimalAndOnlyWhileHeld) {
  for (const Case& one : EveryCertainty()) {
    const HttpReply reply =
        Ask(Asking(Route::kGeneration), {one.snapshot}, one.after);
    EXPECT_EQ(reply.status, one.status) << one.name;
    EXPECT_EQ(reply.type, ContentType::kText) << one.name;
    if (one.status == 200) {
      EXPECT_EQ(reply.body, "41\n") << one.name;
    } else {
      EXPECT_THAT(reply.body,
                  StartsWith(one.status == 409 ? "standby" : "uncertain ("))
          << one.name;
    }
  }
}

TEST(Answers, GenerationAsJsonIsTheDocumentWithTheSameStatus) {
  for (const Case& one : EveryCertainty()) {
    const HttpReply reply =
        Ask(Asking(Route::kGeneration, true), {one.snapshot}, one.after);
    EXPECT_EQ(reply.status, one.status) << one.name;
    EXPECT_EQ(reply.type, ContentType::kJson) << one.name;
    const auto document = nlohmann::json::parse(reply.body);
    EXPECT_EQ(document.contains("generation"), one.status == 200) << one.name;
  }
}

TEST(Answers, StatusIsAlwaysTheDocument) {
  for (const Case& one : EveryCertainty()) {
    for (const bool json : {false, true}) {
      const HttpReply reply =
          Ask(Asking(Route::kStatus, json), {one.snapshot}, one.after);
      EXPECT_EQ(reply.status, 200) << one.name;
      EXPECT_EQ(reply.type, ContentType::kJson) << one.name;
      EXPECT_EQ(reply.body.back(), '\n');
      EXPECT_EQ(nlohmann::json::parse(reply.body)["lease"], "a");
    }
  }
}

TEST(Answers, CheckSaysYesOnlyToTheGenerationHeldNow) {
  for (const Case& one : EveryCertainty()) {
    for (const bool json : {false, true}) {
      Plan plan = Asking(Route::kCheck, json);
      plan.generation = 41;
      EXPECT_EQ(Ask(plan, {one.snapshot}, one.after).status, one.status)
          << one.name;
      plan.generation = 40;
      EXPECT_EQ(Ask(plan, {one.snapshot}, one.after).status,
                one.status == 200 ? 409 : one.status)
          << one.name;
    }
  }
  Plan plan = Asking(Route::kCheck);
  plan.generation = 40;
  EXPECT_EQ(Ask(plan, {Held(41)}, seconds(1)).body,
            "generation 40 is not held: generation 41 is\n");
  plan.generation = 41;
  EXPECT_EQ(Ask(plan, {Held(41)}, seconds(1)).body, "41\n");
}

TEST(Answers, StandbyNamesTheHolderAndTheWayOut) {
  AuthoritySnapshot snapshot = Standby("pod-b", 12);
  snapshot.refusal = "set minGeneration";
  EXPECT_EQ(Ask(Asking(Route::kGeneration), {snapshot}, seconds(1)).body,
            "standby: held by pod-b, generation 12; set minGeneration\n");
  EXPECT_EQ(Ask(Asking(Route::kGeneration), {Standby("", 0)}, seconds(1)).body,
            "standby: nobody holds the lease\n");
}

TEST(Answers, UncertainNamesWhyTheApiServerDoesNotAnswer) {
  AuthoritySnapshot snapshot;
  snapshot.server_error = "connecting to 127.0.0.1:9: Connection refused";
  EXPECT_THAT(Ask(Asking(Route::kGeneration), {snapshot}, seconds(1)).body,
              HasSubstr("no answer from the API server: connecting to"));
}

TEST(Answers, ReadinessCertainIsReadyWhileTheAnswerIs) {
  for (const Case& one : EveryCertainty()) {
    const HttpReply reply =
        Ask(Asking(Route::kReady), {one.snapshot}, one.after);
    EXPECT_EQ(reply.status, one.status == 503 ? 503 : 200) << one.name;
  }
}

TEST(Answers, ReadinessHolderIsReadyOnlyWhileHeld) {
  const Setting holder{.readiness = ReadinessPolicy::kHolder};
  for (const Case& one : EveryCertainty()) {
    const HttpReply reply =
        Ask(Asking(Route::kReady), {one.snapshot}, one.after, holder);
    EXPECT_EQ(reply.status, one.status == 200 ? 200 : 503) << one.name;
  }
}

TEST(Answers, DrainingIsNotReady) {
  AuthoritySnapshot snapshot = Held(41);
  snapshot.draining = true;
  for (const ReadinessPolicy policy :
       {ReadinessPolicy::kCertain, ReadinessPolicy::kHolder}) {
    const HttpReply reply = Ask(Asking(Route::kReady), {snapshot}, seconds(1),
                                {.readiness = policy});
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "not ready: lease a is held, draining\n");
  }
}

TEST(Answers, EveryLeaseMustBeReadyButOneSlotIsEnough) {
  const std::vector<AuthoritySnapshot> some = {Held(41), Standby("x", 1)};
  const Setting all{.readiness = ReadinessPolicy::kHolder};
  EXPECT_EQ(Ask(Asking(Route::kReady), some, seconds(1), all).body,
            "not ready: lease b is standby\n");
  const Setting slots{.readiness = ReadinessPolicy::kHolder,
                      .lease_set = LeaseSetPolicy::kAny};
  EXPECT_EQ(Ask(Asking(Route::kReady), some, seconds(1), slots).status, 200);
  EXPECT_EQ(Ask(Asking(Route::kReady), some, seconds(10), slots).status, 503);
  EXPECT_EQ(Ask(Asking(Route::kReady), {Held(1), Unsettled()}, seconds(1)).body,
            "not ready: lease b is uncertain (unsettled)\n");
}

TEST(Answers, StartupEndsWhenEveryFirstReadWasAnswered) {
  EXPECT_EQ(
      Ask(Asking(Route::kStartup), {Held(1), Unsettled()}, seconds(1)).status,
      503);
  // A lease that was settled stays started, however uncertain it becomes.
  EXPECT_EQ(Ask(Asking(Route::kStartup), {Held(1), Standby("x", 1)},
                std::chrono::hours(1))
                .status,
            200);
}

TEST(Answers, AProbeThatIsAskedForJsonSaysYesInItToo) {
  for (const auto& [route, yes] :
       {std::pair(Route::kReady, "{\"ready\":true}\n"),
        std::pair(Route::kLive, "{\"alive\":true}\n"),
        std::pair(Route::kStartup, "{\"started\":true}\n")}) {
    Plan plan = Asking(route);
    plan.json = true;
    const HttpReply reply = Ask(plan, {Held(1)}, seconds(1));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.type, ContentType::kJson);
    EXPECT_EQ(reply.body, yes);
  }
}

TEST(Answers, LivenessDependsOnTheLoopAlone) {
  for (const Case& one : EveryCertainty()) {
    const Plan plan = Asking(Route::kLive);
    EXPECT_EQ(Ask(plan, {one.snapshot}, seconds(10) - Duration{1}).status, 200);
    const HttpReply reply = Ask(plan, {one.snapshot}, seconds(10));
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "not alive: the loop made no progress for 10 s\n");
    EXPECT_EQ(Ask(plan, {one.snapshot}, seconds(10), {.beat_after = seconds(9)})
                  .status,
              200);
  }
}

TEST(Answers, WorkIsConfirmedOnlyIfCoveredAtReplyTime) {
  Plan plan = Asking(Route::kWork);
  plan.generation = 41;
  for (const Case& one : EveryCertainty()) {
    const std::vector<LeaseSight> leases = {{"a", &one.snapshot}};
    HttpReply reply;
    AnswerFromLoop(plan, SightOf(leases, one.after), ControlReply{}, &reply);
    EXPECT_EQ(reply.status, one.status) << one.name;
    if (one.status != 200) continue;
    const auto document = nlohmann::json::parse(reply.body);
    EXPECT_EQ(document["generation"], "41");
    EXPECT_GE(document["remainingMs"]["toRenewBy"], 0);
  }
}

TEST(Answers, DoneReleaseAndFloorAreAnsweredWhateverIsHeld) {
  for (const Route route : {Route::kDone, Route::kRelease, Route::kFloor}) {
    for (const Case& one : EveryCertainty()) {
      const std::vector<LeaseSight> leases = {{"a", &one.snapshot}};
      HttpReply reply;
      AnswerFromLoop(Asking(route), SightOf(leases, one.after), ControlReply{},
                     &reply);
      EXPECT_EQ(reply.status, 200) << one.name;
      EXPECT_EQ(nlohmann::json::parse(reply.body).contains("generation"),
                one.status == 200);
    }
  }
}

TEST(Answers, TheLoopsErrorsBecomeStatuses) {
  const std::vector<std::pair<ErrorCode, int>> statuses = {
      {ErrorCode::kConflict, 409},    {ErrorCode::kInvalidArgument, 400},
      {ErrorCode::kUnavailable, 503}, {ErrorCode::kDeadlineExceeded, 503},
      {ErrorCode::kForbidden, 503},   {ErrorCode::kOutcomeUnknown, 503},
      {ErrorCode::kInternal, 503}};
  const AuthoritySnapshot held = Held(41);
  const std::vector<LeaseSight> leases = {{"a", &held}};
  for (const auto& [code, status] : statuses) {
    for (const Route route : {Route::kWork, Route::kDone, Route::kRelease,
                              Route::kFloor, Route::kCheck}) {
      Plan plan = Asking(route);
      plan.generation = 41;
      HttpReply reply;
      AnswerFromLoop(plan, SightOf(leases, seconds(1)),
                     ControlReply{Error{code, "why"}, 0}, &reply);
      EXPECT_EQ(reply.status, status);
      EXPECT_EQ(reply.body, "why\n");
    }
  }
}

TEST(Answers, AnEventIsTheStatusDocumentOnOneLine) {
  AuthoritySnapshot snapshot = Standby("two\nlines", 0);
  const std::vector<LeaseSight> leases = {{"a", &snapshot}};
  std::string event;
  AppendEvent(SightOf(leases, seconds(1)), &event);
  EXPECT_THAT(event, AllOf(StartsWith("event: status\ndata: {\"lease\":\"a\""),
                           HasSubstr("two\\nlines")));
  EXPECT_EQ(std::ranges::count(event, '\n'), 3);
}

TEST(Answers, TheNextChangeByTimeAloneIsForeseen) {
  for (const Case& one : EveryCertainty()) {
    const CertaintyAnswer before = CertaintyAt(one.snapshot, At(one.after));
    const Duration wait = UntilChange(one.snapshot, At(one.after));
    ASSERT_GT(wait, Duration{0}) << one.name;
    if (wait == Duration::max()) continue;
    // The same until the nanosecond before, and not any more then, except that
    // a term whose clock is in doubt has the one change at its end.
    EXPECT_EQ(
        CertaintyAt(one.snapshot, At(one.after + wait - Duration{1})).certainty,
        before.certainty)
        << one.name;
    EXPECT_NE(CertaintyAt(one.snapshot, At(one.after + wait)).certainty,
              before.certainty)
        << one.name;
  }
  EXPECT_EQ(UntilChange(Unsettled(), At(seconds(1))), Duration::max());
  EXPECT_EQ(UntilChange(Standby("x", 1), At(seconds(15))), Duration::max());
  EXPECT_EQ(UntilChange(Standby("x", 1), At(seconds(5))), seconds(10));
}

}  // namespace
}  // namespace tenure
