#include "sidecar/embedded/lease_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/embedded/api_fixture.h"

namespace tenure::embedded {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Names(const Reply& reply) {
  std::vector<std::string> out;
  for (const auto& item : reply.body.at("items")) {
    out.push_back(item["metadata"]["name"]);
  }
  return out;
}

class LeaseReadsTest : public ::testing::Test {
 protected:
  Reply List(const std::string& query) {
    return api_.Call("GET", kLeasesPath + ("?" + query));
  }

  Api api_;
};

TEST_F(LeaseReadsTest, AnAbsentLeaseIsNotFound) {
  const Reply reply = api_.Get("a");
  EXPECT_EQ(reply.code, 404);
  EXPECT_EQ(reply.reason(), "NotFound");
  EXPECT_EQ(reply.body["details"]["kind"], "leases");
}

TEST_F(LeaseReadsTest, AVersionFromTheFutureIsATimeout) {
  api_.Create("a");
  for (const std::string path :
       {"/a?resourceVersion=9", "?resourceVersion=9"}) {
    const Reply reply = api_.Call("GET", kLeasesPath + path);
    EXPECT_EQ(reply.code, 504) << path;
    EXPECT_THAT(reply.causes(), ElementsAre(" ResourceVersionTooLarge"));
  }
}

TEST_F(LeaseReadsTest, AnOldVersionIsAFloorNotASnapshot) {
  api_.Create("a");
  api_.MergePatch("a", R"({"spec":{"leaseTransitions":1}})");
  EXPECT_EQ(api_.Call("GET", std::string(kLeasesPath) + "/a?resourceVersion=1")
                .version(),
            "3");
  EXPECT_EQ(
      api_.Call("GET", std::string(kLeasesPath) + "/a?resourceVersion=abc")
          .code,
      500);
}

TEST_F(LeaseReadsTest, AnExactVersionIsASnapshot) {
  api_.Create("a");
  api_.Create("b");
  EXPECT_THAT(Names(List("resourceVersion=2&resourceVersionMatch=Exact")),
              ElementsAre("a"));
  EXPECT_THAT(Names(List("resourceVersion=2")), ElementsAre("a", "b"));
}

TEST_F(LeaseReadsTest, PagesShowTheStateTheListBeganWith) {
  for (const char* name : {"a", "b", "c"}) api_.Create(name);
  const Reply first = List("limit=1");
  EXPECT_THAT(Names(first), ElementsAre("a"));
  EXPECT_EQ(first.body["metadata"]["remainingItemCount"], 2);
  api_.Create("aa");
  api_.Call("DELETE", std::string(kLeasesPath) + "/b");
  const std::string token = first.body["metadata"]["continue"];
  const Reply rest = List("limit=5&continue=" + token);
  EXPECT_THAT(Names(rest), ElementsAre("b", "c"));
  EXPECT_EQ(rest.version(), first.version());
  EXPECT_FALSE(rest.body["metadata"].contains("continue"));
  EXPECT_EQ(List("resourceVersion=5&continue=" + token).code, 400);
}

TEST_F(LeaseReadsTest, BadTokensAreRefused) {
  for (const char* token :
       {"abc", "1", "/", "1/", "99/default/a", "99999999999999999999/a/b"}) {
    EXPECT_EQ(List(std::string("continue=") + token).code, 400) << token;
  }
}

TEST_F(LeaseReadsTest, ACompactedVersionIsGone) {
  Api api({.history = 2});
  for (const char* name : {"a", "b", "c", "d"}) api.Create(name);
  const Reply reply =
      api.Call("GET", std::string(kLeasesPath) +
                          "?resourceVersion=2&resourceVersionMatch=Exact");
  EXPECT_EQ(reply.code, 410);
  EXPECT_EQ(reply.reason(), "Expired");
}

TEST_F(LeaseReadsTest, ListsCanBeSelectedAndSpanNamespaces) {
  api_.Create("a", "{}", R"(,"labels":{"k":"1"})");
  api_.Create("b");
  api_.Call("PUT", "/apis/coordination.k8s.io/v1/namespaces/other/leases/c",
            R"({"metadata":{"name":"c"}})");
  EXPECT_THAT(Names(List("labelSelector=k=1")), ElementsAre("a"));
  EXPECT_THAT(Names(List("fieldSelector=metadata.name!=a")), ElementsAre("b"));
  EXPECT_THAT(Names(api_.Call("GET", "/apis/coordination.k8s.io/v1/leases")),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(Names(List("limit=1&labelSelector=k")), ElementsAre("a"));
}

TEST_F(LeaseReadsTest, AStaleReadShowsThePast) {
  api_.Create("a", R"({"holderIdentity":"x"})");
  api_.MergePatch("a", R"({"spec":{"holderIdentity":"y"}})");
  const Reply reply = api_.Call("GET", std::string(kLeasesPath) + "/a", "", "",
                                "", /*stale_at=*/2);
  EXPECT_EQ(reply.body["spec"]["holderIdentity"], "x");
  EXPECT_EQ(reply.version(), "2");
}

TEST_F(LeaseReadsTest, WhatIsNotServedIsSaid) {
  EXPECT_EQ(api_.Call("GET", "/nothing").code, 404);
  EXPECT_EQ(api_.Call("GET", "/apis/coordination.k8s.io/v1/pods").reason(),
            "NotFound");
  EXPECT_EQ(api_.Call("POST", "/version").code, 405);
  EXPECT_EQ(api_.Call("PUT", kLeasesPath, "{}").reason(), "MethodNotAllowed");
  EXPECT_EQ(api_.Call("GET", std::string(kLeasesPath) + "?timeout=5").code,
            400);
}

TEST_F(LeaseReadsTest, DiscoveryNamesOneGroupWithOneResource) {
  EXPECT_EQ(api_.Call("GET", "/version").body["major"], "1");
  EXPECT_EQ(api_.Call("GET", "/apis").body["groups"][0]["name"],
            "coordination.k8s.io");
  EXPECT_EQ(api_.Call("GET", "/apis/coordination.k8s.io").body["kind"],
            "APIGroup");
  EXPECT_EQ(api_.Call("GET", "/apis/coordination.k8s.io/v1")
                .body["resources"][0]["name"],
            "leases");
  EXPECT_EQ(api_.Call("GET", "/api").body["versions"].size(), 0U);
  EXPECT_EQ(api_.Call("GET", "/readyz").text, "ok");
  EXPECT_EQ(api_.Call("GET", "/openapi/v3").code, 200);
  EXPECT_TRUE(api_.Call("GET", "/openapi/v3/apis/coordination.k8s.io/v1")
                  .body.is_object());
}

}  // namespace
}  // namespace tenure::embedded
