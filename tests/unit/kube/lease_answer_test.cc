#include "sidecar/kube/lease_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace tenure {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr char kLease[] =
    R"({"metadata":{"uid":"u","resourceVersion":"7"},"spec":{}})";
constexpr char kNotFound[] =
    R"({"kind":"Status","reason":"NotFound","message":"no lease"})";
const std::vector<RequestKind> kWrites = {
    RequestKind::kCreate, RequestKind::kAcquire, RequestKind::kRenew,
    RequestKind::kRelease};

std::expected<LeaseReply, StoreError> Answered(RequestKind kind,
                                               unsigned status,
                                               std::string body = "") {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return LeaseAnswer(kind, LeaseTarget{"team", "billing"}, std::move(answer));
}

ErrorCode CodeOf(const std::expected<LeaseReply, StoreError>& answer) {
  return answer.has_value() ? ErrorCode::kInternal : answer.error().code;
}

TEST(LeaseAnswerTest, TellsUpdatedFromCreated) {
  EXPECT_FALSE(Answered(RequestKind::kRenew, 200, kLease)->created);
  EXPECT_TRUE(Answered(RequestKind::kRenew, 201, kLease)->created);
  EXPECT_EQ(Answered(RequestKind::kRead, 200, kLease)->record.uid, "u");
}

TEST(LeaseAnswerTest, AWriteWithoutAReadableLeaseIsUnknown) {
  for (const RequestKind kind : kWrites) {
    EXPECT_EQ(CodeOf(Answered(kind, 200, "{}")), ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(CodeOf(Answered(kind, 201, "")), ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(CodeOf(Answered(kind, 202, kLease)), ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(CodeOf(Answered(kind, 204)), ErrorCode::kOutcomeUnknown);
  }
}

TEST(LeaseAnswerTest, AReadWithoutAReadableLeaseIsAnUnreadableRecord) {
  const auto answer = Answered(RequestKind::kRead, 200, "<html>");
  ASSERT_TRUE(answer.has_value());
  EXPECT_NE(answer->record.unreadable, "");
}

TEST(LeaseAnswerTest, DefiniteRefusalsOfWritesAreDefinite) {
  for (const RequestKind kind : kWrites) {
    EXPECT_EQ(CodeOf(Answered(kind, 400)), ErrorCode::kRefused);
    EXPECT_EQ(CodeOf(Answered(kind, 401)), ErrorCode::kUnauthenticated);
    EXPECT_EQ(CodeOf(Answered(kind, 403)), ErrorCode::kForbidden);
    EXPECT_EQ(CodeOf(Answered(kind, 404, kNotFound)), ErrorCode::kNotFound);
    EXPECT_EQ(CodeOf(Answered(kind, 409)), ErrorCode::kConflict);
    EXPECT_EQ(CodeOf(Answered(kind, 422)), ErrorCode::kRefused);
    EXPECT_EQ(CodeOf(Answered(kind, 429)), ErrorCode::kThrottled);
    EXPECT_EQ(CodeOf(Answered(kind, 302)), ErrorCode::kRefused);
  }
}

// What kube-apiserver says to a create where there is a Lease.
TEST(LeaseAnswerTest, ACreateThatMeetsALeaseIsAConflict) {
  constexpr char kMeets[] =
      R"({"kind":"Status","reason":"Invalid","message":"Lease is invalid: )"
      R"(metadata.resourceVersion: Invalid value: 0: must be specified for an )"
      R"(update"})";
  EXPECT_EQ(CodeOf(Answered(RequestKind::kCreate, 422, kMeets)),
            ErrorCode::kConflict);
  EXPECT_EQ(CodeOf(Answered(RequestKind::kRenew, 422, kMeets)),
            ErrorCode::kRefused);
}

// A proxy or the wrong address: the Lease may well be there.
TEST(LeaseAnswerTest, ANotFoundThatNoApiServerSaidIsUnknown) {
  for (const char* body :
       {"", "404 page not found", "<html>", "{}", R"({"kind":"Status"})",
        R"({"kind":"Status","reason":"Expired"})"}) {
    EXPECT_EQ(CodeOf(Answered(RequestKind::kRead, 404, body)),
              ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(CodeOf(Answered(RequestKind::kRenew, 404, body)),
              ErrorCode::kOutcomeUnknown);
  }
}

TEST(LeaseAnswerTest, AWriteThatMetAServerErrorIsUnknown) {
  for (const RequestKind kind : kWrites) {
    for (const unsigned status : {500U, 502U, 503U, 504U, 599U, 408U}) {
      EXPECT_EQ(CodeOf(Answered(kind, status)), ErrorCode::kOutcomeUnknown);
    }
    HttpAnswer busy;
    busy.status = 503;
    busy.has_retry_after = true;
    busy.retry_after = seconds{1};
    EXPECT_EQ(CodeOf(LeaseAnswer(kind, {}, busy)), ErrorCode::kOutcomeUnknown);
  }
}

TEST(LeaseAnswerTest, OnlyAReadIsThrottledBy503WithRetryAfter) {
  HttpAnswer busy;
  busy.status = 503;
  EXPECT_EQ(CodeOf(LeaseAnswer(RequestKind::kRead, {}, busy)),
            ErrorCode::kOutcomeUnknown);
  busy.has_retry_after = true;
  busy.retry_after = seconds{3};
  const auto answer = LeaseAnswer(RequestKind::kRead, {}, busy);
  ASSERT_EQ(CodeOf(answer), ErrorCode::kThrottled);
  EXPECT_EQ(answer.error().retry_after, seconds{3});
}

TEST(LeaseAnswerTest, BrokenExchangesAreNotSentOrUnknown) {
  EXPECT_EQ(CodeOf(LeaseAnswer(RequestKind::kRenew, {},
                               std::unexpected(HttpFailure{false, "x"}))),
            ErrorCode::kNotSent);
  EXPECT_EQ(CodeOf(LeaseAnswer(RequestKind::kRenew, {},
                               std::unexpected(HttpFailure{true, "x"}))),
            ErrorCode::kOutcomeUnknown);
}

TEST(LeaseAnswerTest, ForbiddenNamesTheRoleRuleThatWouldMendIt) {
  const auto answer = Answered(RequestKind::kCreate, 403,
                               R"({"message":"User \"x\" cannot create"})");
  ASSERT_FALSE(answer.has_value());
  for (const char* const part :
       {"create leases.coordination.k8s.io \"billing\"", "namespace \"team\"",
        "User \"x\" cannot create", "apiGroups: [coordination.k8s.io]",
        "resources: [leases]", "resourceNames: [billing]",
        "verbs: [get, create, update"}) {
    EXPECT_THAT(answer.error().message, HasSubstr(part));
  }
  EXPECT_THAT(Answered(RequestKind::kRead, 403).error().message,
              HasSubstr("not allowed to get"));
  EXPECT_THAT(Answered(RequestKind::kRenew, 403).error().message,
              HasSubstr("not allowed to update"));
}

TEST(LeaseAnswerTest, MessagesNameTheRequestAndWhatTheServerSaid) {
  EXPECT_EQ(Answered(RequestKind::kRenew, 409,
                     R"({"message":"object was modified","reason":"Conflict"})")
                .error()
                .message,
            "renew of lease team/billing: 409, object was modified (Conflict)");
}

}  // namespace
}  // namespace tenure
