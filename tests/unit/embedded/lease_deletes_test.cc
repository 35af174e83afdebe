#include "sidecar/embedded/lease_deletes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/embedded/api_fixture.h"

namespace tenure::embedded {
namespace {

using ::testing::ElementsAre;

class DeleteLeaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    made_ = api_.Create("a", "{}", R"(,"labels":{"k":"1"})");
  }

  Reply Delete(const std::string& body, const std::string& query = "") {
    return api_.Call("DELETE", kLeasesPath + ("/a" + query), body);
  }

  Api api_;
  Reply made_;
};

TEST_F(DeleteLeaseTest, AnswersSuccessWithTheUid) {
  const Reply reply = Delete("");
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.body["status"], "Success");
  EXPECT_EQ(reply.body["details"]["uid"], made_.uid());
  EXPECT_EQ(api_.Get("a").code, 404);
  EXPECT_EQ(Delete("").code, 404);
}

TEST_F(DeleteLeaseTest, PreconditionsGuard) {
  for (const char* body : {R"({"preconditions":{"uid":"x"}})",
                           R"({"preconditions":{"resourceVersion":"1"}})"}) {
    const Reply reply = Delete(body);
    EXPECT_EQ(reply.code, 409) << body;
    EXPECT_EQ(reply.reason(), "Conflict");
  }
  EXPECT_EQ(Delete("", "?resourceVersion=1").code, 409);
  EXPECT_EQ(Delete(R"({"preconditions":{"uid":")" + made_.uid() + "\"}}").code,
            200);
}

TEST_F(DeleteLeaseTest, ADryRunDeletesNothing) {
  EXPECT_EQ(Delete("", "?dryRun=All").code, 200);
  EXPECT_EQ(Delete(R"({"dryRun":["All"]})").code, 200);
  EXPECT_EQ(Delete(R"({"dryRun":["Foo"]})").code, 422);
  EXPECT_EQ(api_.Get("a").code, 200);
}

TEST_F(DeleteLeaseTest, PoliciesAreChecked) {
  EXPECT_THAT(Delete("", "?propagationPolicy=Foo").causes(),
              ElementsAre("propagationPolicy FieldValueNotSupported"));
  EXPECT_THAT(Delete(R"({"propagationPolicy":"Foo"})").causes(),
              ElementsAre("propagationPolicy FieldValueNotSupported"));
  EXPECT_THAT(Delete(R"({"propagationPolicy":"Orphan",)"
                     R"("orphanDependents":true})")
                  .causes(),
              ElementsAre("propagationPolicy FieldValueInvalid"));
  EXPECT_EQ(Delete(R"({"propagationPolicy":"Background"})").code, 200);
}

TEST_F(DeleteLeaseTest, WhatIsNoDeleteOptionsIsRefused) {
  EXPECT_EQ(Delete("{").code, 400);
  EXPECT_EQ(Delete("[]").code, 400);
  EXPECT_EQ(Delete(R"({"kind":"Lease"})").code, 400);
  EXPECT_EQ(
      api_.Call("DELETE", std::string(kLeasesPath) + "/a", "x", "text/plain")
          .code,
      415);
}

TEST_F(DeleteLeaseTest, FinalizersHoldTheLeaseUntilTheLastIsGone) {
  api_.MergePatch("a", R"({"metadata":{"finalizers":["x.y/z"]}})");
  const Reply marked = Delete("");
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(marked.body["metadata"]["deletionTimestamp"],
            "2026-11-29T20:48:00Z");
  EXPECT_EQ(Delete("").version(), marked.version());
  EXPECT_THAT(
      api_.MergePatch("a", R"({"metadata":{"finalizers":["x.y/z","n.m/o"]}})")
          .causes(),
      ElementsAre("metadata.finalizers FieldValueForbidden"));
  EXPECT_EQ(api_.Create("a").code, 409);
  EXPECT_EQ(api_.MergePatch("a", R"({"metadata":{"finalizers":null}})").code,
            200);
  EXPECT_EQ(api_.Get("a").code, 404);
}

TEST_F(DeleteLeaseTest, ACollectionIsDeletedAsSelected) {
  api_.Create("b");
  const Reply reply =
      api_.Call("DELETE", std::string(kLeasesPath) + "?labelSelector=k=1");
  EXPECT_EQ(reply.code, 200);
  ASSERT_EQ(reply.body["items"].size(), 1U);
  EXPECT_EQ(reply.body["items"][0]["metadata"]["name"], "a");
  EXPECT_EQ(api_.Get("a").code, 404);
  EXPECT_EQ(api_.Get("b").code, 200);
  EXPECT_EQ(api_.Call("DELETE", std::string(kLeasesPath) + "?dryRun=All").code,
            200);
  EXPECT_EQ(api_.Get("b").code, 200);
  EXPECT_EQ(
      api_.Call("DELETE", std::string(kLeasesPath) + "?labelSelector=k===")
          .code,
      400);
}

}  // namespace
}  // namespace tenure::embedded
