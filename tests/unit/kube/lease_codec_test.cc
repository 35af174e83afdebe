#include "sidecar/kube/lease_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;
using testing::Not;

constexpr char kLease[] = R"({
  "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
  "metadata": {
    "name": "billing", "namespace": "team", "uid": "u-1",
    "resourceVersion": "4711", "creationTimestamp": "2026-11-29T20:00:00Z",
    "labels": {"owner": "us"},
    "annotations": {"tenure.dev/generation": "4700",
                    "tenure.dev/write": "pod-a:00ff", "other/one": "kept"},
    "managedFields": [{"manager": "someone", "fieldsV1": {"f:spec": {}}}],
    "finalizers": ["other/finalizer"]
  },
  "spec": {
    "holderIdentity": "pod-a", "leaseDurationSeconds": 15,
    "acquireTime": "1970-01-01T00:00:01.000000Z",
    "renewTime": "1970-01-01T00:00:02.000000Z", "leaseTransitions": 3,
    "preferredHolder": "pod-z"
  },
  "x-large": 9007199254740993, "x-unsigned": 18446744073709551615,
  "x-small": -9223372036854775808
})";

LeaseWrite Renewal() {
  LeaseWrite write;
  write.uid = "u-1";
  write.resource_version = "4711";
  write.document = kLease;
  write.holder = "pod-b";
  write.duration_seconds = 20;
  write.acquire_time = WallTime{microseconds{3'000'000}};
  write.renew_time = WallTime{microseconds{4'000'001}};
  write.transitions = 4;
  write.generation = 4712;
  write.write = "pod-b:abcd";
  return write;
}

std::string LeaseWith(const std::string& metadata, const std::string& spec) {
  return R"({"kind":"Lease","metadata":{"uid":"u","resourceVersion":"7")" +
         metadata + R"(},"spec":{)" + spec + "}}";
}

TEST(DecodeLeaseTest, ReadsEveryFieldThatAuthorityUses) {
  const LeaseRecord record = DecodeLease(kLease);
  EXPECT_EQ(record.unreadable, "");
  EXPECT_EQ(record.uid, "u-1");
  EXPECT_EQ(record.resource_version, "4711");
  EXPECT_EQ(record.holder, "pod-a");
  EXPECT_EQ(record.duration_seconds, 15);
  EXPECT_EQ(record.acquire_time, WallTime{microseconds{1'000'000}});
  EXPECT_EQ(record.renew_time, WallTime{microseconds{2'000'000}});
  EXPECT_EQ(record.transitions, 3);
  EXPECT_EQ(record.generation, "4700");
  EXPECT_EQ(record.write, "pod-a:00ff");
  EXPECT_EQ(record.document, kLease);
}

TEST(DecodeLeaseTest, AbsentAndNullFieldsAreTheSame) {
  const LeaseRecord absent = DecodeLease(LeaseWith("", ""));
  const LeaseRecord null = DecodeLease(
      LeaseWith(R"(,"annotations":null)",
                R"("holderIdentity":null,"leaseDurationSeconds":null,)"
                R"("renewTime":null,"leaseTransitions":null)"));
  for (const LeaseRecord* const record : {&absent, &null}) {
    EXPECT_EQ(record->unreadable, "");
    EXPECT_EQ(record->holder, "");
    EXPECT_EQ(record->duration_seconds, std::nullopt);
    EXPECT_EQ(record->renew_time, std::nullopt);
    EXPECT_EQ(record->transitions, std::nullopt);
    EXPECT_EQ(record->generation, std::nullopt);
  }
}

TEST(DecodeLeaseTest, KeepsIdentityOfALeaseItCannotRead) {
  const LeaseRecord record =
      DecodeLease(LeaseWith("", R"("holderIdentity":7)"));
  EXPECT_THAT(record.unreadable, HasSubstr("spec.holderIdentity"));
  EXPECT_THAT(record.unreadable, HasSubstr("an integer"));
  EXPECT_EQ(record.uid, "u");
  EXPECT_EQ(record.resource_version, "7");
  EXPECT_NE(record.document, "");
}

TEST(DecodeLeaseTest, RefusesNumbersOutOfRangeInsteadOfCuttingThem) {
  for (const char* const spec :
       {R"("leaseDurationSeconds":0)", R"("leaseDurationSeconds":-1)",
        R"("leaseDurationSeconds":2147483648)",
        R"("leaseDurationSeconds":5000000000)",
        R"("leaseDurationSeconds":18446744073709551615)",
        R"("leaseDurationSeconds":1.9)", R"("leaseDurationSeconds":"15")",
        R"("leaseTransitions":-1)", R"("leaseTransitions":2147483648)"}) {
    EXPECT_NE(DecodeLease(LeaseWith("", spec)).unreadable, "") << spec;
  }
  EXPECT_EQ(DecodeLease(LeaseWith("", R"("leaseDurationSeconds":2147483647)"))
                .duration_seconds,
            2147483647);
}

TEST(DecodeLeaseTest, RefusesOtherShapes) {
  for (const char* const text :
       {"", "null", "[]", "7", "\"Lease\"", "{", "{}", "<html>",
        R"({"kind":"Status","metadata":{"uid":"u","resourceVersion":"7"}})",
        R"({"metadata":{"resourceVersion":"7"}})",
        R"({"metadata":{"uid":"u"}})", R"({"metadata":[]})",
        "{\"metadata\":{\"uid\":\"\xff\"}}"}) {
    EXPECT_NE(DecodeLease(text).unreadable, "") << text;
  }
  EXPECT_NE(DecodeLease(LeaseWith("", R"("renewTime":"now")")).unreadable, "");
  EXPECT_NE(DecodeLease(LeaseWith(R"(,"annotations":7)", "")).unreadable, "");
}

TEST(DecodeLeaseTest, DepthIsLimitedTo64) {
  // The Lease itself and metadata are two levels.
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth - 2);
    return LeaseWith(
        R"(,"x":)" + std::string(count, '[') + std::string(count, ']'), "");
  };
  EXPECT_EQ(DecodeLease(nested(64)).unreadable, "");
  EXPECT_THAT(DecodeLease(nested(65)).unreadable, HasSubstr("64"));
  EXPECT_NE(DecodeLease(std::string(1'000'000, '[')).unreadable, "");
}

TEST(DecodeLeaseTest, SizeIsLimitedToOneMebibyte) {
  const std::string lease = LeaseWith("", "");
  const std::string padding((std::size_t{1} << 20) - lease.size(), ' ');
  EXPECT_EQ(DecodeLease(lease + padding).unreadable, "");
  EXPECT_THAT(DecodeLease(lease + padding + " ").unreadable,
              HasSubstr("1048576"));
}

TEST(DecodeLeaseTest, OfTwoEqualKeysTheLastCounts) {
  const LeaseRecord record = DecodeLease(
      LeaseWith("", R"("holderIdentity":"a","holderIdentity":"b")"));
  EXPECT_EQ(record.holder, "b");
}

TEST(EncodeLeaseTest, RestatesItsOwnFieldsAndTheCompareAndSwap) {
  const LeaseRecord sent =
      DecodeLease(EncodeLease("team", "billing", Renewal()));
  EXPECT_EQ(sent.unreadable, "");
  EXPECT_EQ(sent.uid, "u-1");
  EXPECT_EQ(sent.resource_version, "4711");
  EXPECT_EQ(sent.holder, "pod-b");
  EXPECT_EQ(sent.duration_seconds, 20);
  EXPECT_EQ(sent.acquire_time, WallTime{microseconds{3'000'000}});
  EXPECT_EQ(sent.renew_time, WallTime{microseconds{4'000'001}});
  EXPECT_EQ(sent.transitions, 4);
  EXPECT_EQ(sent.generation, "4712");
  EXPECT_EQ(sent.write, "pod-b:abcd");
}

TEST(EncodeLeaseTest, ARunIsRecordedAndThenKept) {
  LeaseWrite write = Renewal();
  write.last_run = LastRun{"bill-2", "bill-1"};
  write.document = EncodeLease("team", "billing", write);
  write.last_run.reset();
  const LeaseRecord record = DecodeLease(EncodeLease("team", "billing", write));
  EXPECT_EQ(record.last_run, (LastRun{"bill-2", "bill-1"}));
}

TEST(DecodeLeaseTest, WhatIsNoRunIdIsNoRun) {
  const LeaseRecord record =
      DecodeLease(LeaseWith(R"(,"annotations":{"tenure.dev/last-run-id":"a b",)"
                            R"("tenure.dev/last-run-order":""})",
                            ""));
  EXPECT_EQ(record.unreadable, "");
  EXPECT_EQ(record.last_run, LastRun{});
}

TEST(EncodeLeaseTest, KeepsWhatItDoesNotUnderstand) {
  const std::string text = EncodeLease("team", "billing", Renewal());
  for (const char* const kept :
       {R"("owner":"us")", R"("other/one":"kept")", R"("other/finalizer")",
        R"("preferredHolder":"pod-z")", R"("x-large":9007199254740993)",
        R"("x-unsigned":18446744073709551615)",
        R"("x-small":-9223372036854775808)",
        R"("creationTimestamp":"2026-11-29T20:00:00Z")"}) {
    EXPECT_THAT(text, HasSubstr(kept));
  }
}

TEST(EncodeLeaseTest, LeavesManagedFieldsAndForeignLabelsAlone) {
  const std::string text = EncodeLease("team", "billing", Renewal());
  EXPECT_THAT(text, Not(HasSubstr("managedFields")));
  EXPECT_THAT(text, Not(HasSubstr("app.kubernetes.io/managed-by")));
}

TEST(EncodeLeaseTest, ACreateNamesNoHolderAndCarriesNoCompareAndSwap) {
  LeaseWrite write;
  write.duration_seconds = 15;
  write.write = "pod-b:abcd";
  const std::string text = EncodeLease("team", "billing", write);
  for (const char* const absent :
       {"holderIdentity", "uid", "resourceVersion", "renewTime", "acquireTime",
        "leaseTransitions", "tenure.dev/generation"}) {
    EXPECT_THAT(text, Not(HasSubstr(absent)));
  }
  for (const char* const present :
       {R"("apiVersion":"coordination.k8s.io/v1")", R"("kind":"Lease")",
        R"("name":"billing")", R"("namespace":"team")",
        R"("app.kubernetes.io/managed-by":"tenure")",
        R"("tenure.dev/guarded":"true")", R"("leaseDurationSeconds":15)"}) {
    EXPECT_THAT(text, HasSubstr(present));
  }
}

TEST(EncodeLeaseTest, AReleaseNamesTheEmptyHolderForOneSecond) {
  LeaseWrite write = Renewal();
  write.holder = "";
  write.duration_seconds = 1;
  const std::string text = EncodeLease("team", "billing", write);
  EXPECT_THAT(text, HasSubstr(R"("holderIdentity":"")"));
  EXPECT_THAT(text, HasSubstr(R"("leaseDurationSeconds":1,)"));
  EXPECT_TRUE(IsReleased(DecodeLease(text)));
}

TEST(EncodeLeaseTest, AHolderThatIsNotUtf8DoesNotThrow) {
  LeaseWrite write = Renewal();
  write.holder = "pod-\xff";
  EXPECT_EQ(DecodeLease(EncodeLease("team", "billing", write)).unreadable, "");
}

TEST(StatusMessageTest, TakesMessageAndReason) {
  EXPECT_EQ(StatusMessage(R"({"kind":"Status","message":"it is\nbroken",)"
                          R"("reason":"Conflict"})"),
            "it is broken (Conflict)");
  EXPECT_EQ(StatusMessage(R"({"message":"only this"})"), "only this");
  EXPECT_EQ(StatusMessage(R"({"reason":"Expired"})"), "Expired");
}

TEST(StatusMessageTest, MakesOneShortLineOfAnythingElse) {
  EXPECT_EQ(StatusMessage(""), "an empty answer");
  EXPECT_EQ(StatusMessage("<html>\r\n\x01\xff"), "<html>  ??");
  EXPECT_EQ(StatusMessage("[1]"), "[1]");
  EXPECT_LE(StatusMessage(std::string(100'000, 'x')).size(), 130U);
  EXPECT_LE(StatusMessage(R"({"message":")" + std::string(100'000, 'x') + "\"}")
                .size(),
            510U);
}

}  // namespace
}  // namespace tenure
