#include "sidecar/embedded/fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::embedded {
namespace {

using ::testing::HasSubstr;

ApiResponse Post(FaultPlan& plan, const std::string& body) {
  return plan.Handle({"POST", "/faults", "", "", body});
}

TEST(FaultPlanTest, AFaultStrikesAsOftenAsItCounts) {
  FaultPlan plan;
  EXPECT_EQ(Post(plan, R"({"action":"close","count":2})").code, 201);
  EXPECT_TRUE(plan.Take({"get", "n", "a"}));
  EXPECT_TRUE(plan.Take({"update", "n", "a"}));
  EXPECT_FALSE(plan.Take({"get", "n", "a"}));
  EXPECT_THAT(plan.Handle({"GET", "/faults", "", "", ""}).body,
              HasSubstr(R"("strikes":2,"remaining":0)"));
}

TEST(FaultPlanTest, WithoutCountItStrikesUntilRemoved) {
  FaultPlan plan;
  Post(plan, R"({"action":"close"})");
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(plan.Take({"get", "n", "a"}));
  EXPECT_THAT(plan.Handle({"DELETE", "/faults", "", "", ""}).body,
              HasSubstr(R"("removed":1)"));
  EXPECT_FALSE(plan.Take({"get", "n", "a"}));
}

TEST(FaultPlanTest, OnlyWhatMatchesIsStruck) {
  FaultPlan plan;
  Post(plan, R"({"match":{"verb":"update","namespace":"n","name":"a"},)"
             R"("action":"close"})");
  EXPECT_FALSE(plan.Take({"get", "n", "a"}));
  EXPECT_FALSE(plan.Take({"update", "m", "a"}));
  EXPECT_FALSE(plan.Take({"update", "n", "b"}));
  EXPECT_TRUE(plan.Take({"update", "n", "a"}));
}

TEST(FaultPlanTest, FaultsStrikeInTheOrderTheyWerePosted) {
  FaultPlan plan;
  Post(plan,
       R"({"action":"fail","status":429,"retryAfterSeconds":3,"count":1})");
  Post(plan, R"({"action":"fail","status":503,"count":1})");
  EXPECT_EQ(plan.Take({"get", "", ""})->status, 429);
  EXPECT_EQ(plan.Take({"get", "", ""})->status, 503);
}

TEST(FaultPlanTest, AFreezeIsAStateNotAStrike) {
  FaultPlan plan;
  Post(plan, R"({"match":{"verb":"watch","name":"a"},"action":"freezeWatch"})");
  EXPECT_FALSE(plan.Take({"watch", "n", "a"}));
  EXPECT_TRUE(plan.Frozen({"watch", "n", "a"}));
  EXPECT_FALSE(plan.Frozen({"watch", "n", "b"}));
}

TEST(FaultPlanTest, BadDocumentsSayWhatIsWrong) {
  FaultPlan plan;
  const std::pair<const char*, const char*> cases[] = {
      {"{", "malformed JSON"},
      {"[]", "expected a JSON object"},
      {"{}", "action: expected delay"},
      {R"({"action":"frob"})", "found \\\"frob\\\""},
      {R"({"action":"close","x":1})", "x: unknown field"},
      {R"({"action":"close","match":{"x":1}})", "match.x: unknown field"},
      {R"({"action":"close","match":5})", "match: expected an object"},
      {R"({"action":"close","match":{"verb":"frob"}})", "match.verb"},
      {R"({"action":"close","match":{"name":5}})", "name: expected a string"},
      {R"({"action":"close","count":0})", "count: expected a whole number"},
      {R"({"action":"close","count":"1"})", "count: expected a whole number"},
      {R"({"action":"close","reset":1})", "reset: expected true or false"},
      {R"({"action":"delay"})", "delayMs: expected a whole number from 1"},
      {R"({"action":"delay","delayMs":600001})", "to 600000"},
      {R"({"action":"fail"})", "status: expected"},
      {R"({"action":"fail","status":200})", "from 400 to 599"},
      {R"({"action":"stale","steps":-1})", "steps: expected"},
      {R"({"action":"fail","status":500,"retryAfterSeconds":-1})", "retry"}};
  for (const auto& [body, complaint] : cases) {
    const ApiResponse reply = Post(plan, body);
    EXPECT_EQ(reply.code, 400) << body;
    EXPECT_THAT(reply.body, HasSubstr(complaint)) << body;
  }
  EXPECT_TRUE(plan.empty());
}

TEST(FaultPlanTest, TheNumberOfFaultsIsBounded) {
  FaultPlan plan;
  for (std::size_t i = 0; i < kMaxFaults; ++i) {
    EXPECT_EQ(Post(plan, R"({"action":"close"})").code, 201);
  }
  const ApiResponse full = Post(plan, R"({"action":"close"})");
  EXPECT_EQ(full.code, 400);
  EXPECT_THAT(full.body, HasSubstr("at most 64 faults"));
}

TEST(FaultPlanTest, OtherMethodsAreNotAllowed) {
  FaultPlan plan;
  EXPECT_EQ(plan.Handle({"PUT", "/faults", "", "", "{}"}).code, 405);
}

TEST(FaultPlanTest, AnswersLookLikeTheApisOwn) {
  const auto reason = [](int status) {
    Fault fault;
    fault.status = status;
    return FaultResponse(fault, "a").body;
  };
  EXPECT_THAT(reason(409), HasSubstr(R"("reason":"Conflict")"));
  EXPECT_THAT(reason(429), HasSubstr(R"("reason":"TooManyRequests")"));
  EXPECT_THAT(reason(500), HasSubstr(R"("reason":"InternalError")"));
  EXPECT_THAT(reason(503), HasSubstr(R"("reason":"ServiceUnavailable")"));
  EXPECT_THAT(reason(504), HasSubstr(R"("reason":"Timeout")"));
  EXPECT_THAT(reason(418), HasSubstr(R"("code":418)"));
}

}  // namespace
}  // namespace tenure::embedded
