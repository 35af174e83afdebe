#include "sidecar/embedded/lease_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/embedded/api_fixture.h"

namespace tenure::embedded {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Apply(PatchKind kind, const std::string& document,
                  const std::string& patch) {
  const auto result = ApplyPatch(kind, document, patch);
  return result ? *result : "code " + std::to_string(result.error().code);
}

TEST(LeasePatchTest, TheMediaTypeNamesTheKind) {
  EXPECT_EQ(PatchKindOf("application/merge-patch+json"), PatchKind::kMerge);
  EXPECT_EQ(PatchKindOf("application/strategic-merge-patch+json; a=b"),
            PatchKind::kStrategicMerge);
  EXPECT_EQ(PatchKindOf("application/json-patch+json"), PatchKind::kJsonPatch);
  for (const char* type :
       {"", "application/json", "application/apply-patch+yaml"}) {
    EXPECT_EQ(PatchKindOf(type).error().code, 415) << type;
  }
}

TEST(LeasePatchTest, MergePatchReplacesAndRemoves) {
  EXPECT_EQ(Apply(PatchKind::kMerge, R"({"a":1,"b":{"c":1,"d":2}})",
                  R"({"a":null,"b":{"c":3}})"),
            R"({"b":{"c":3,"d":2}})");
}

TEST(LeasePatchTest, WhatIsNoPatchIsABadRequest) {
  for (const char* patch : {"", "{", "[]", "null", "\"x\"", "\xff"}) {
    EXPECT_EQ(Apply(PatchKind::kMerge, "{}", patch), "code 400") << patch;
    EXPECT_EQ(Apply(PatchKind::kStrategicMerge, "{}", patch), "code 400");
  }
  for (const char* patch : {"{}", "[", ""}) {
    EXPECT_EQ(Apply(PatchKind::kJsonPatch, "{}", patch), "code 400") << patch;
  }
}

TEST(LeasePatchTest, JsonPatchAppliesOrRefuses) {
  EXPECT_EQ(Apply(PatchKind::kJsonPatch, R"({"a":1})",
                  R"([{"op":"test","path":"/a","value":1},)"
                  R"({"op":"replace","path":"/a","value":2}])"),
            R"({"a":2})");
  EXPECT_EQ(Apply(PatchKind::kJsonPatch, R"({"a":1})", "[]"), R"({"a":1})");
  for (const char* patch :
       {R"([{"op":"test","path":"/a","value":2}])",
        R"([{"op":"remove","path":"/x"}])", R"([{"op":"frob","path":"/a"}])",
        R"([{"op":"add"}])", R"([5])", R"([{"op":"add","path":5}])",
        R"([{"op":"copy","from":"/zz","path":"/b"}])"}) {
    EXPECT_EQ(Apply(PatchKind::kJsonPatch, R"({"a":1})", patch), "code 422")
        << patch;
  }
}

TEST(LeasePatchTest, TheNumberOfOperationsIsBounded) {
  std::string patch = "[";
  for (int i = 0; i < 1'001; ++i) {
    patch += std::string(i == 0 ? "" : ",") +
             R"({"op":"test","path":"/a","value":1})";
  }
  EXPECT_EQ(Apply(PatchKind::kJsonPatch, R"({"a":1})", patch + "]"),
            "code 413");
}

TEST(LeasePatchTest, CopiesOfCopiesAreBounded) {
  std::string patch = R"([{"op":"copy","from":"/a","path":"/b"})";
  for (int i = 0; i < 60; ++i) {
    patch += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  }
  EXPECT_EQ(Apply(PatchKind::kJsonPatch, R"({"a":[1]})", patch + "]"),
            "code 413");
}

TEST(LeasePatchTest, MovesCannotNestWithoutBound) {
  Api api;
  api.Create("a");
  std::string patch = R"([{"op":"add","path":"/b","value":{}})";
  for (int i = 0; i < 300; ++i) {
    patch += R"(,{"op":"move","from":"/spec","path":"/b/a"})"
             R"(,{"op":"move","from":"/b","path":"/spec"})"
             R"(,{"op":"add","path":"/b","value":{}})";
  }
  EXPECT_EQ(api.Call("PATCH", std::string(kLeasesPath) + "/a", patch + "]",
                     "application/json-patch+json")
                .code,
            422);
}

TEST(LeasePatchTest, StrategicMergeKnowsItsDirectives) {
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge, R"({"a":{"b":1,"c":2}})",
                  R"({"a":{"$patch":"replace","b":3}})"),
            R"({"a":{"b":3}})");
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge, R"({"a":{"b":1}})",
                  R"({"a":{"$patch":"delete"}})"),
            R"({"a":{}})");
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge, R"({"a":{"b":1}})",
                  R"({"a":{"b":null,"c":2}})"),
            R"({"a":{"c":2}})");
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge, "{}", R"({"$patch":"bogus"})"),
            "code 500");
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge, "{}",
                  R"({"$deleteFromPrimitiveList/finalizers":["a"]})"),
            "code 400");
}

TEST(LeasePatchTest, StrategicMergeMergesTheListsTheApiMerges) {
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge, R"({"finalizers":["a"]})",
                  R"({"$setElementOrder/finalizers":["a","b"],)"
                  R"("finalizers":["a","b"]})"),
            R"({"finalizers":["a","b"]})");
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge,
                  R"({"ownerReferences":[{"uid":"1","name":"x"}]})",
                  R"({"ownerReferences":[{"uid":"1","name":"y"},)"
                  R"({"uid":"2"}]})"),
            R"({"ownerReferences":[{"name":"y","uid":"1"},{"uid":"2"}]})");
  EXPECT_EQ(Apply(PatchKind::kStrategicMerge, R"({"ownerReferences":[5]})",
                  R"({"ownerReferences":[6]})"),
            R"({"ownerReferences":[5,6]})");
}

class PatchLeaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    made_ = api_.Create("a", R"({"holderIdentity":"x","leaseTransitions":1})");
  }

  Api api_;
  Reply made_;
};

TEST_F(PatchLeaseTest, ChangesWhatItNamesAndNothingElse) {
  const Reply reply =
      api_.MergePatch("a", R"({"spec":{"holderIdentity":"y"}})");
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.body["spec"]["holderIdentity"], "y");
  EXPECT_EQ(reply.body["spec"]["leaseTransitions"], 1);
  EXPECT_EQ(reply.version(), "3");
}

TEST_F(PatchLeaseTest, ComparesAndSwapsWhereItNamesAVersion) {
  EXPECT_EQ(
      api_.MergePatch("a", R"({"metadata":{"resourceVersion":"1"}})").code,
      409);
  EXPECT_EQ(
      api_.MergePatch("a", R"({"metadata":{"resourceVersion":null}})").code,
      422);
  EXPECT_EQ(
      api_.MergePatch("a", R"({"metadata":{"resourceVersion":"x"}})").code,
      500);
  EXPECT_EQ(api_.MergePatch("a", R"({"metadata":{"resourceVersion":"2"},)"
                                 R"("spec":{"leaseTransitions":2}})")
                .code,
            200);
}

TEST_F(PatchLeaseTest, AWrongUidIsInvalidAndANullOneIsFilled) {
  EXPECT_THAT(api_.MergePatch("a", R"({"metadata":{"uid":"other"}})").causes(),
              ElementsAre("metadata.uid FieldValueInvalid"));
  EXPECT_EQ(api_.MergePatch("a", R"({"metadata":{"uid":null}})").uid(),
            made_.uid());
}

TEST_F(PatchLeaseTest, CannotRenameOrMove) {
  EXPECT_EQ(api_.MergePatch("a", R"({"metadata":{"name":"b"}})").code, 400);
  EXPECT_EQ(api_.MergePatch("a", R"({"metadata":{"namespace":"m"}})").code,
            400);
}

TEST_F(PatchLeaseTest, AnUnreadableOutcomeIsInvalidInFieldPatch) {
  for (const char* patch :
       {R"({"kind":"Pod"})", R"({"spec":{"leaseTransitions":"x"}})",
        R"({"spec":{"leaseDurationSeconds":2147483648}})",
        R"({"spec":{"renewTime":"2026-11-29T20:48:00.123Z"}})"}) {
    const Reply reply = api_.MergePatch("a", patch);
    EXPECT_EQ(reply.code, 422) << patch;
    EXPECT_THAT(reply.causes(), ElementsAre("patch FieldValueInvalid"));
  }
  EXPECT_THAT(
      api_.MergePatch("a", R"({"spec":{"q":1}})", "?fieldValidation=Strict")
          .causes(),
      ElementsAre("patch FieldValueInvalid"));
}

TEST_F(PatchLeaseTest, ValidatesTheOutcomeAsAnUpdate) {
  EXPECT_THAT(
      api_.MergePatch("a", R"({"spec":{"leaseDurationSeconds":0}})").causes(),
      ElementsAre("spec.leaseDurationSeconds FieldValueInvalid"));
}

TEST_F(PatchLeaseTest, DoesNotCreate) {
  EXPECT_EQ(api_.MergePatch("b", "{}").code, 404);
}

TEST_F(PatchLeaseTest, ServerSideApplyIsNotOffered) {
  EXPECT_EQ(api_.Call("PATCH", std::string(kLeasesPath) + "/a?fieldManager=m",
                      "{}", "application/apply-patch+yaml")
                .code,
            415);
}

}  // namespace
}  // namespace tenure::embedded
