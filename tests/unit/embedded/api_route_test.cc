#include "sidecar/embedded/api_route.h"

#include <gtest/gtest.h>

namespace tenure::embedded {
namespace {

constexpr char kGroup[] = "/apis/coordination.k8s.io/v1";

ApiRoute Parse(const std::string& method, const std::string& target) {
  auto route = ParseRoute(method, target);
  EXPECT_TRUE(route) << target;
  return route.value_or(ApiRoute{});
}

ApiRoute Below(const std::string& method, const std::string& path) {
  return Parse(method, kGroup + path);
}

TEST(ApiRouteTest, MethodAndPathGiveTheVerb) {
  const std::string all = "/namespaces/n/leases";
  EXPECT_EQ(Below("GET", all + "/a").verb, Verb::kGet);
  EXPECT_EQ(Below("PUT", all + "/a").verb, Verb::kUpdate);
  EXPECT_EQ(Below("PATCH", all + "/a").verb, Verb::kPatch);
  EXPECT_EQ(Below("DELETE", all + "/a").verb, Verb::kDelete);
  EXPECT_EQ(Below("GET", all).verb, Verb::kList);
  EXPECT_EQ(Below("GET", all + "?watch=1").verb, Verb::kWatch);
  EXPECT_EQ(Below("GET", all + "?watch=false").verb, Verb::kList);
  EXPECT_EQ(Below("POST", all).verb, Verb::kCreate);
  EXPECT_EQ(Below("DELETE", all).verb, Verb::kDeleteCollection);
  EXPECT_EQ(Below("GET", "/leases").verb, Verb::kList);
}

TEST(ApiRouteTest, WhatTheApiDoesNotOfferIsNotAllowed) {
  const std::string all = "/namespaces/n/leases";
  for (const char* method : {"POST", "HEAD", "OPTIONS", "FOO"}) {
    EXPECT_EQ(Below(method, all + "/a").verb, Verb::kNotAllowed) << method;
  }
  EXPECT_EQ(Below("PUT", all).verb, Verb::kNotAllowed);
  EXPECT_EQ(Below("PATCH", all).verb, Verb::kNotAllowed);
  EXPECT_EQ(Below("POST", "/leases").verb, Verb::kNotAllowed);
  EXPECT_EQ(Below("DELETE", "/leases").verb, Verb::kNotAllowed);
}

TEST(ApiRouteTest, NamesAndQueriesAreDecoded) {
  const ApiRoute route = Below(
      "GET", "/namespaces/n%2Dm/leases/a%20b?x=1%3D2&y=a+b&x=second&&=z&flag");
  EXPECT_EQ(route.name_space, "n-m");
  EXPECT_EQ(route.name, "a b");
  EXPECT_EQ(route.query.Get("x"), "1=2");
  EXPECT_EQ(route.query.Get("y"), "a b");
  EXPECT_EQ(route.query.All("x").size(), 2U);
  EXPECT_EQ(route.query.Get("flag"), "");
  EXPECT_EQ(route.query.Get("absent"), "");
}

TEST(ApiRouteTest, BrokenEscapesAreRefused) {
  for (const char* target : {"/a%", "/a%1", "/a%zz", "/a?x=%", "/a?%g0=1"}) {
    EXPECT_FALSE(ParseRoute("GET", target)) << target;
  }
}

TEST(ApiRouteTest, AnEscapedSlashDoesNotSmuggleAName) {
  EXPECT_EQ(Below("GET", "/namespaces/n/leases/a%2Fb").resource,
            Resource::kNoSuchResource);
}

TEST(ApiRouteTest, SlashesMayRepeatOrTrail) {
  EXPECT_EQ(Below("GET", "//namespaces/n/leases//").resource,
            Resource::kLeases);
  EXPECT_EQ(Parse("GET", "/apis/").resource, Resource::kGroups);
}

TEST(ApiRouteTest, DiscoveryAndHealthHaveTheirPlaces) {
  EXPECT_EQ(Parse("GET", "/version").resource, Resource::kVersion);
  EXPECT_EQ(Parse("GET", "/livez").resource, Resource::kHealth);
  EXPECT_EQ(Parse("GET", "/api").resource, Resource::kCoreVersions);
  EXPECT_EQ(Parse("GET", "/apis/coordination.k8s.io").resource,
            Resource::kGroup);
  EXPECT_EQ(Parse("GET", kGroup).resource, Resource::kGroupResources);
  EXPECT_EQ(Parse("GET", "/openapi/v3").resource, Resource::kOpenApiIndex);
  EXPECT_EQ(Parse("GET", "/openapi/v3" + std::string(kGroup)).resource,
            Resource::kOpenApiLeases);
  EXPECT_EQ(Parse("POST", "/faults").resource, Resource::kFaults);
}

TEST(ApiRouteTest, UnknownPathsAreUnknownAndUnknownResourcesAreNone) {
  for (const char* target :
       {"", "/", "/foo", "/apis/foo/v1", "*", "/apis/coordination.k8s.io/v2"}) {
    EXPECT_EQ(Parse("GET", target).resource, Resource::kUnknown) << target;
  }
  for (const char* path :
       {"/pods", "/namespaces", "/namespaces/n", "/namespaces/n/pods",
        "/leases/a", "/namespaces/n/leases/a/status"}) {
    EXPECT_EQ(Below("GET", path).resource, Resource::kNoSuchResource) << path;
  }
  EXPECT_EQ(Parse("GET", "/api/v1/namespaces/n").resource,
            Resource::kNoSuchResource);
}

}  // namespace
}  // namespace tenure::embedded
