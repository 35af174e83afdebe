#include "sidecar/embedded/lease_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/embedded/api_fixture.h"

namespace tenure::embedded {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string Version(const std::string& version) {
  return R"(,"resourceVersion":")" + version + "\"";
}

std::string Uid(const std::string& uid) { return R"(,"uid":")" + uid + "\""; }

TEST(CreateLeaseTest, FillsWhatTheServerOwns) {
  Api api;
  const Reply reply =
      api.Create("a", R"({"holderIdentity":"me"})",
                 R"(,"uid":"mine","generation":7,)"
                 R"("creationTimestamp":"2001-01-01T00:00:00Z",)"
                 R"("deletionTimestamp":"2001-01-01T00:00:00Z")");
  EXPECT_EQ(reply.code, 201);
  EXPECT_EQ(reply.version(), "2");
  EXPECT_THAT(reply.uid(), MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-"
                                        "[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(reply.body["metadata"]["creationTimestamp"],
            "2026-11-29T20:48:00Z");
  EXPECT_EQ(reply.body["metadata"]["namespace"], "default");
  EXPECT_FALSE(reply.body["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(api.Get("a").text, reply.text);
}

TEST(CreateLeaseTest, ASecondOfTheNameIsRefused) {
  Api api;
  api.Create("a");
  const Reply reply = api.Create("a");
  EXPECT_EQ(reply.code, 409);
  EXPECT_EQ(reply.reason(), "AlreadyExists");
}

TEST(CreateLeaseTest, AVersionIsRefusedButAnUnreadableOneIgnored) {
  Api api;
  EXPECT_EQ(api.Create("a", "{}", Version("5")).code, 500);
  EXPECT_EQ(api.Create("b", "{}", Version("abc")).code, 201);
}

TEST(CreateLeaseTest, GeneratesANameFromItsPrefix) {
  Api api;
  const Reply reply =
      api.Call("POST", kLeasesPath, R"({"metadata":{"generateName":"gen-"}})");
  EXPECT_EQ(reply.code, 201);
  EXPECT_THAT(reply.body["metadata"]["name"].get<std::string>(),
              MatchesRegex("gen-[b-z2-9]{5}"));
  const Reply next =
      api.Call("POST", kLeasesPath, R"({"metadata":{"generateName":"gen-"}})");
  EXPECT_NE(next.body["metadata"]["name"], reply.body["metadata"]["name"]);
}

TEST(CreateLeaseTest, ReportsEveryInvalidFieldAtOnce) {
  Api api;
  const Reply reply =
      api.Create("A", R"({"leaseDurationSeconds":0,"leaseTransitions":-1})",
                 R"(,"labels":{"a":"x y"},"generation":-1)");
  EXPECT_EQ(reply.code, 422);
  EXPECT_THAT(reply.causes(),
              ElementsAre("metadata.name FieldValueInvalid",
                          "metadata.generation FieldValueInvalid",
                          "metadata.labels FieldValueInvalid",
                          "spec.leaseDurationSeconds FieldValueInvalid",
                          "spec.leaseTransitions FieldValueInvalid"));
}

TEST(CreateLeaseTest, ADryRunStoresNothingAndTakesNoVersion) {
  Api api;
  const Reply reply = api.Call("POST", std::string(kLeasesPath) + "?dryRun=All",
                               R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(reply.code, 201);
  EXPECT_EQ(reply.version(), "");
  EXPECT_EQ(api.Get("a").code, 404);
  EXPECT_EQ(api.table().resource_version(), 1U);
}

TEST(CreateLeaseTest, UnknownFieldsWarnOrFailAsAsked) {
  Api api;
  const std::string body = R"({"metadata":{"name":"a"},"spec":{"foo":1}})";
  const auto post = [&](const std::string& mode) {
    return api.Call("POST", kLeasesPath + ("?dryRun=All" + mode), body);
  };
  EXPECT_THAT(post("").warnings, ElementsAre(R"(unknown field "spec.foo")"));
  EXPECT_THAT(post("&fieldValidation=Ignore").warnings, ElementsAre());
  const Reply strict = post("&fieldValidation=Strict");
  EXPECT_EQ(strict.code, 400);
  EXPECT_THAT(strict.text, HasSubstr("strict decoding error: unknown field"));
}

TEST(CreateLeaseTest, OtherMediaTypesAndNamespacesAreRefused) {
  Api api;
  EXPECT_EQ(api.Call("POST", kLeasesPath, "x", "text/plain").code, 415);
  EXPECT_EQ(api.Call("POST", kLeasesPath, R"({"metadata":{"name":"a"}})",
                     "application/json; charset=utf-8")
                .code,
            201);
  EXPECT_EQ(api.Create("b", "{}", R"(,"namespace":"other")").code, 400);
}

TEST(CreateLeaseTest, TheTableIsBounded) {
  Api api({.leases = 2});
  EXPECT_EQ(api.Create("a").code, 201);
  EXPECT_EQ(api.Create("b").code, 201);
  const Reply full = api.Create("c");
  EXPECT_EQ(full.code, 500);
  EXPECT_THAT(full.text, HasSubstr("database space exceeded"));
}

TEST(CreateLeaseTest, OneObjectIsBounded) {
  Api api;
  const Reply reply =
      api.Create("a", R"({"holderIdentity":")" +
                          std::string(kMaxObjectBytes, 'x') + "\"}");
  EXPECT_EQ(reply.code, 500);
  EXPECT_THAT(reply.text, HasSubstr("request is too large"));
}

TEST(UpdateLeaseTest, ComparesAndSwapsOnTheVersion) {
  Api api;
  const Reply made = api.Create("a");
  EXPECT_EQ(
      api.Put("a", Version(made.version()), R"({"leaseTransitions":1})").code,
      200);
  const Reply stale = api.Put("a", Version(made.version()));
  EXPECT_EQ(stale.code, 409);
  EXPECT_EQ(stale.reason(), "Conflict");
}

TEST(UpdateLeaseTest, NeedsAVersion) {
  Api api;
  api.Create("a");
  for (const std::string version : {"", "0"}) {
    const Reply reply = api.Put("a", Version(version));
    EXPECT_EQ(reply.code, 422) << version;
    EXPECT_EQ(reply.body["details"]["kind"], "leases");
    EXPECT_THAT(reply.causes(),
                ElementsAre("metadata.resourceVersion FieldValueInvalid"));
  }
  EXPECT_EQ(api.Put("a", Version("abc")).code, 500);
}

TEST(UpdateLeaseTest, AWrongUidIsAConflictEvenWithTheRightVersion) {
  Api api;
  const Reply made = api.Create("a");
  const Reply reply = api.Put("a", Version(made.version()) + Uid("other"));
  EXPECT_EQ(reply.code, 409);
  EXPECT_THAT(reply.text, HasSubstr("UID in precondition: other"));
}

TEST(UpdateLeaseTest, ADeletedLeaseIsNotRecreatedByAWriteWithItsUid) {
  Api api;
  const Reply made = api.Create("a");
  api.Call("DELETE", std::string(kLeasesPath) + "/a");
  EXPECT_EQ(api.Put("a", Version(made.version()) + Uid(made.uid())).code, 409);
  EXPECT_EQ(api.Get("a").code, 404);
}

TEST(UpdateLeaseTest, ADeletedLeaseIsRecreatedByAWriteWithoutUid) {
  Api api;
  const Reply made = api.Create("a");
  api.Call("DELETE", std::string(kLeasesPath) + "/a");
  const Reply again = api.Put("a", Version(made.version()));
  EXPECT_EQ(again.code, 201);
  EXPECT_NE(again.uid(), made.uid());
}

TEST(UpdateLeaseTest, CreatesWhatIsAbsent) {
  Api api;
  const Reply reply = api.Put("a", "", R"({"leaseDurationSeconds":15})");
  EXPECT_EQ(reply.code, 201);
  EXPECT_EQ(api.Put("b", "", "{}", "?dryRun=All").code, 201);
  EXPECT_EQ(api.Get("b").code, 404);
  EXPECT_EQ(api.Put("c", "", R"({"leaseTransitions":-1})").code, 422);
}

TEST(UpdateLeaseTest, TheNameMustBeTheOneOfTheUrl) {
  Api api;
  const std::string path = std::string(kLeasesPath) + "/a";
  EXPECT_EQ(api.Call("PUT", path, R"({"metadata":{"name":"b"}})").code, 400);
  EXPECT_EQ(api.Call("PUT", path, R"({"metadata":{}})").code, 400);
}

TEST(UpdateLeaseTest, AWriteThatChangesNothingTakesNoVersion) {
  Api api;
  const Reply made = api.Create("a", R"({"holderIdentity":"me"})");
  const Reply same =
      api.Call("PUT", std::string(kLeasesPath) + "/a", made.text);
  EXPECT_EQ(same.code, 200);
  EXPECT_EQ(same.version(), made.version());
}

TEST(UpdateLeaseTest, WhatTheServerOwnsCannotBeChanged) {
  Api api;
  const Reply made = api.Create("a");
  const Reply reply =
      api.Put("a", Version(made.version()) +
                       R"(,"creationTimestamp":"2001-01-01T00:00:00Z")");
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.body["metadata"]["creationTimestamp"],
            made.body["metadata"]["creationTimestamp"]);
  const Reply doomed =
      api.Put("a", Version(made.version()) +
                       R"(,"deletionTimestamp":"2001-01-01T00:00:00Z")");
  EXPECT_THAT(doomed.causes(),
              ElementsAre("metadata.deletionTimestamp FieldValueInvalid"));
}

TEST(UpdateLeaseTest, GenerationIsKeptAsCreated) {
  Api api;
  const Reply made = api.Create("a", "{}", R"(,"generation":7)");
  const Reply kept =
      api.Put("a", Version(made.version()) + R"(,"generation":9)",
              R"({"leaseTransitions":1})");
  EXPECT_EQ(kept.code, 200);
  EXPECT_EQ(kept.body["metadata"]["generation"], 7);
}

TEST(UpdateLeaseTest, ADryRunChecksAndKeepsTheOld) {
  Api api;
  const Reply made = api.Create("a");
  EXPECT_EQ(
      api.Put("a", Version("1"), R"({"leaseTransitions":1})", "?dryRun=All")
          .code,
      409);
  const Reply dry = api.Put("a", Version(made.version()),
                            R"({"leaseTransitions":1})", "?dryRun=All");
  EXPECT_EQ(dry.code, 200);
  EXPECT_EQ(dry.body["spec"]["leaseTransitions"], 1);
  EXPECT_EQ(api.Get("a").text, made.text);
}

}  // namespace
}  // namespace tenure::embedded
