#include "sidecar/embedded/lease_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::embedded {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFull[] =
    R"({"metadata":{"name":"a","generateName":"g-","namespace":"n",)"
    R"("uid":"u","resourceVersion":"7","generation":3,)"
    R"("creationTimestamp":"2026-11-29T20:48:00Z",)"
    R"("deletionTimestamp":"2026-11-29T20:49:00Z",)"
    R"("deletionGracePeriodSeconds":0,"labels":{"k":"v"},)"
    R"("annotations":{"x/y":"z"},"ownerReferences":[{"apiVersion":"v1",)"
    R"("kind":"Pod","name":"p","uid":"w","controller":true,)"
    R"("blockOwnerDeletion":false}],"finalizers":["f/g"]},)"
    R"("spec":{"holderIdentity":"h","leaseDurationSeconds":15,)"
    R"("acquireTime":"2026-11-29T20:48:00.123456Z",)"
    R"("renewTime":"2026-11-29T20:48:01.000000Z","leaseTransitions":4}})";

std::string ErrorOf(const std::string& text) {
  const auto decoded = DecodeLease(text);
  return decoded ? "" : decoded.error().prefix + decoded.error().cause;
}

TEST(LeaseJsonTest, EveryKeptFieldSurvivesDecodingAndEncoding) {
  const auto decoded = DecodeLease(kFull);
  ASSERT_TRUE(decoded) << decoded.error().cause;
  EXPECT_EQ(EncodeLeaseItem(decoded->lease), kFull);
  EXPECT_THAT(decoded->strict_errors, IsEmpty());
}

TEST(LeaseJsonTest, TypeMetaComesFirst) {
  EXPECT_EQ(WithTypeMeta(R"({"metadata":{}})"),
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
            R"("metadata":{}})");
}

TEST(LeaseJsonTest, NullFieldsCountAsAbsent) {
  const auto decoded =
      DecodeLease(R"({"kind":null,"metadata":{"name":"a","labels":null,)"
                  R"("annotations":{"a":null},"ownerReferences":null},)"
                  R"("spec":{"holderIdentity":null,"renewTime":null}})");
  ASSERT_TRUE(decoded) << decoded.error().cause;
  EXPECT_EQ(EncodeLeaseItem(decoded->lease),
            R"({"metadata":{"name":"a","annotations":{"a":""}},"spec":{}})");
}

TEST(LeaseJsonTest, AnEmptyHolderIsNotAnAbsentOne) {
  const auto decoded = DecodeLease(R"({"spec":{"holderIdentity":""}})");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->lease.spec.holder_identity, "");
}

TEST(LeaseJsonTest, UnknownFieldsAreReportedWithTheirPaths) {
  const auto decoded = DecodeLease(
      R"({"foo":1,"metadata":{"zzz":1,"ownerReferences":[{"q":1}]},)"
      R"("spec":{"HolderIdentity":"x"}})");
  ASSERT_TRUE(decoded) << decoded.error().cause;
  EXPECT_THAT(decoded->strict_errors,
              ElementsAre(R"(unknown field "metadata.ownerReferences[0].q")",
                          R"(unknown field "metadata.zzz")",
                          R"(unknown field "spec.HolderIdentity")",
                          R"(unknown field "foo")"));
}

TEST(LeaseJsonTest, FieldsOfTheElectionGateAreKnownAndDropped) {
  const auto decoded =
      DecodeLease(R"({"spec":{"strategy":"OldestEmulationVersion",)"
                  R"("preferredHolder":"x"}})");
  ASSERT_TRUE(decoded);
  EXPECT_THAT(decoded->strict_errors, IsEmpty());
  EXPECT_THAT(EncodeLeaseItem(decoded->lease), HasSubstr(R"("spec":{})"));
}

TEST(LeaseJsonTest, DuplicateKeysAreReportedAndTheLastCounts) {
  const auto decoded =
      DecodeLease(R"({"metadata":{"name":"a","name":"b"},"spec":{}})");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->lease.metadata.name, "b");
  EXPECT_THAT(decoded->strict_errors,
              ElementsAre(R"(duplicate field "metadata.name")"));
}

TEST(LeaseJsonTest, TheNumberOfReportsIsBounded) {
  std::string unknown = "{\"x\":1", twice = "{\"spec\":{}";
  for (std::size_t i = 0; i < kMaxStrictErrors + 50; ++i) {
    unknown += ",\"x" + std::to_string(i) + "\":1";
    twice += ",\"spec\":{}";
  }
  EXPECT_EQ(DecodeLease(unknown + "}")->strict_errors.size(), kMaxStrictErrors);
  EXPECT_EQ(DecodeLease(twice + "}")->strict_errors.size(), kMaxStrictErrors);
}

TEST(LeaseJsonTest, WrongTypesAreRefusedWithTheFieldNamed) {
  const auto spec = [](const std::string& field) {
    return ErrorOf(R"({"spec":{)" + field + "}}");
  };
  EXPECT_THAT(spec(R"("leaseTransitions":2147483648)"),
              HasSubstr("number 2147483648 into Go struct field "
                        "LeaseSpec.spec.leaseTransitions of type int32"));
  EXPECT_THAT(spec(R"("leaseTransitions":-2147483649)"), HasSubstr("int32"));
  EXPECT_THAT(spec(R"("leaseDurationSeconds":15.0)"), HasSubstr("number 15.0"));
  EXPECT_THAT(spec(R"("leaseDurationSeconds":"15")"), HasSubstr("string into"));
  EXPECT_THAT(spec(R"("leaseDurationSeconds":true)"), HasSubstr("bool into"));
  EXPECT_THAT(spec(R"("holderIdentity":{})"), HasSubstr("object into"));
  EXPECT_THAT(spec(R"("renewTime":5)"), HasSubstr("of type string"));
  EXPECT_THAT(spec(R"("renewTime":"x")"), HasSubstr("parsing time"));
  const auto metadata = [](const std::string& field) {
    return ErrorOf(R"({"metadata":{)" + field + "}}");
  };
  EXPECT_THAT(metadata(R"("labels":{"a":5})"), HasSubstr("metadata.labels"));
  EXPECT_THAT(metadata(R"("finalizers":"x")"), HasSubstr("[]string"));
  EXPECT_THAT(metadata(R"("finalizers":[5])"), HasSubstr("of type string"));
  EXPECT_THAT(metadata(R"("ownerReferences":[5])"), HasSubstr("OwnerRef"));
  EXPECT_THAT(metadata(R"("managedFields":"x")"), HasSubstr("ManagedFields"));
  EXPECT_THAT(metadata(R"("generation":9223372036854775808)"),
              HasSubstr("int64"));
  EXPECT_THAT(ErrorOf(R"({"spec":[]})"), HasSubstr("of type v1.LeaseSpec"));
}

TEST(LeaseJsonTest, OtherKindsAndVersionsAreRefused) {
  EXPECT_THAT(ErrorOf(R"({"apiVersion":"v1","kind":"Pod"})"),
              HasSubstr("Pod in version \"v1\" cannot be handled as a Lease"));
  EXPECT_THAT(
      ErrorOf(R"({"apiVersion":"coordination.k8s.io/v1beta1","kind":"Lease"})"),
      HasSubstr("does not match the expected API version"));
}

TEST(LeaseJsonTest, WhatIsNoObjectIsRefused) {
  for (const char* text : {"", "[]", "5", "\"x\"", "{\"a\":", "{} x", "\xff"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("unrecognized")) << text;
  }
  EXPECT_EQ(ErrorOf("null"), "");
}

TEST(LeaseJsonTest, NestingEndsAtItsLimit) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return R"({"x":)" + std::string(count, '[') + std::string(count, ']') + "}";
  };
  EXPECT_EQ(ErrorOf(nested(kMaxJsonDepth - 1)), "");
  EXPECT_THAT(ErrorOf(nested(kMaxJsonDepth)), HasSubstr("levels of nesting"));
  EXPECT_THAT(ErrorOf(nested(1'000'000)), HasSubstr("levels of nesting"));
}

TEST(LeaseJsonTest, ALongListTakesTimeInProportion) {
  std::string list = "[{}";  // seconds, were it quadratic
  for (int i = 0; i < 20'000; ++i) list += ",{}";
  EXPECT_EQ(ErrorOf("{\"x\":" + list + "]}"), "");
}

TEST(LeaseJsonTest, TheZeroTimePrintsAsNull) {
  const auto decoded =
      DecodeLease(R"({"spec":{"renewTime":"0001-01-01T00:00:00.000000Z"}})");
  ASSERT_TRUE(decoded);
  EXPECT_THAT(EncodeLeaseItem(decoded->lease),
              HasSubstr(R"("renewTime":null)"));
}

}  // namespace
}  // namespace tenure::embedded
