#include "sidecar/embedded/lease_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/embedded/api_fixture.h"

namespace tenure::embedded {
namespace {

using nlohmann::json;

constexpr char kTable[] =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

json GetAs(Api& api, const std::string& target, const std::string& accept) {
  return api.Call("GET", kLeasesPath + target, "", "", accept).body;
}

int CodeFor(const std::string& accept) {
  Api api;
  return api.Call("GET", kLeasesPath, "", "", accept).code;
}

TEST(LeaseViewsTest, KubectlGetsNameHolderAndAge) {
  Api api;
  api.Create("a", R"({"holderIdentity":"me"})");
  const json table = GetAs(api, "", kTable);
  EXPECT_EQ(table["kind"], "Table");
  ASSERT_EQ(table["columnDefinitions"].size(), 3U);
  EXPECT_EQ(table["columnDefinitions"][1]["name"], "Holder");
  ASSERT_EQ(table["rows"].size(), 1U);
  EXPECT_EQ(table["rows"][0]["cells"], json::array({"a", "me", "0s"}));
  EXPECT_EQ(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
  EXPECT_FALSE(table["rows"][0]["object"].contains("spec"));
}

TEST(LeaseViewsTest, ALeaseWithoutHolderHasAnEmptyCell) {
  Api api;
  api.Create("a");
  EXPECT_EQ(GetAs(api, "/a", kTable)["rows"][0]["cells"][1], "");
}

TEST(LeaseViewsTest, TheRowsObjectIsChosenByTheClient) {
  Api api;
  api.Create("a");
  EXPECT_EQ(GetAs(api, "/a?includeObject=Object",
                  kTable)["rows"][0]["object"]["kind"],
            "Lease");
  EXPECT_EQ(GetAs(api, "/a?includeObject=None", kTable)["rows"][0]["object"],
            nullptr);
  EXPECT_EQ(GetAs(api, "/a?includeObject=Foo", kTable)["code"], 400);
}

TEST(LeaseViewsTest, MetadataAloneIsServed) {
  Api api;
  api.Create("a");
  const json one =
      GetAs(api, "/a",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  EXPECT_EQ(one["kind"], "PartialObjectMetadata");
  EXPECT_EQ(one["metadata"]["name"], "a");
  const json list =
      GetAs(api, "",
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
  EXPECT_EQ(list["kind"], "PartialObjectMetadataList");
  EXPECT_EQ(list["items"][0]["kind"], "PartialObjectMetadata");
}

TEST(LeaseViewsTest, ItemsOfAListCarryNoKind) {
  Api api;
  api.Create("a");
  api.Create("b");
  const json list = GetAs(api, "", "");
  EXPECT_EQ(list["kind"], "LeaseList");
  ASSERT_EQ(list["items"].size(), 2U);
  EXPECT_FALSE(list["items"][0].contains("kind"));
}

TEST(LeaseViewsTest, AcceptIsNegotiated) {
  EXPECT_EQ(CodeFor(""), 200);
  EXPECT_EQ(CodeFor("*/*"), 200);
  EXPECT_EQ(CodeFor("application/vnd.kubernetes.protobuf,application/json"),
            200);
  EXPECT_EQ(CodeFor("application/json;stream=watch"), 200);
  EXPECT_EQ(CodeFor("text/plain"), 406);
  EXPECT_EQ(CodeFor("application/*"), 406);
  EXPECT_EQ(CodeFor("application/yaml"), 406);
  EXPECT_EQ(CodeFor("application/json;as=Table;v=v2;g=meta.k8s.io"), 406);
  EXPECT_EQ(CodeFor(",;,"), 406);
}

}  // namespace
}  // namespace tenure::embedded
