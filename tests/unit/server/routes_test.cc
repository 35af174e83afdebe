#include "sidecar/server/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tenure {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kOne = {"demo"};
const std::vector<std::string> kTwo = {"billing", "demo"};

HttpRequest Request(Method method, const std::string& target) {
  HttpRequest request;
  request.method = method;
  request.target = target;
  request.host = "localhost:7421";
  request.host_fields = 1;
  return request;
}

std::expected<Plan, HttpReply> Get(const std::string& target, Surface surface,
                                   const std::vector<std::string>& leases) {
  return Resolve(Request(Method::kGet, target), surface, leases);
}

std::expected<Plan, HttpReply> Post(const std::string& target,
                                    const std::string& body) {
  HttpRequest request = Request(Method::kPost, target);
  request.body = body;
  return Resolve(request, Surface::kControl, kOne);
}

struct Served {
  const char* path;
  Method method;
  Route route;
  std::vector<Surface> surfaces;
};

const std::vector<Surface> kRead = {Surface::kStatusUnix, Surface::kStatusTcp,
                                    Surface::kControl};

const std::vector<Served> kServed = {
    {"/v1/status", Method::kGet, Route::kStatus, kRead},
    {"/v1/generation", Method::kGet, Route::kGeneration, kRead},
    {"/v1/check", Method::kGet, Route::kCheck, kRead},
    {"/v1/watch", Method::kGet, Route::kWatch, kRead},
    {"/v1/work", Method::kPost, Route::kWork, {Surface::kControl}},
    {"/v1/done", Method::kPost, Route::kDone, {Surface::kControl}},
    {"/v1/release", Method::kPost, Route::kRelease, {Surface::kControl}},
    {"/v1/run", Method::kPost, Route::kRun, {Surface::kControl}},
    {"/v1/floor", Method::kPost, Route::kFloor, {Surface::kControl}},
    {"/startupz", Method::kGet, Route::kStartup, {Surface::kProbe}},
    {"/livez", Method::kGet, Route::kLive, {Surface::kProbe}},
    {"/readyz", Method::kGet, Route::kReady, {Surface::kProbe}},
    {"/metrics", Method::kGet, Route::kMetrics, {Surface::kProbe}},
};

constexpr Surface kSurfaces[] = {Surface::kStatusUnix, Surface::kStatusTcp,
                                 Surface::kControl, Surface::kProbe};

// With what the route asks for.
std::string TargetOf(const Served& served) {
  std::string target = served.path;
  if (served.route == Route::kCheck || served.method == Method::kPost) {
    target += "?generation=5";
  }
  if (served.route == Route::kRun) target += "&run=r-1";
  return target;
}

TEST(Routes, EachIsServedOnItsListenersAndNamedOnTheOthers) {
  for (const Served& served : kServed) {
    for (const Surface surface : kSurfaces) {
      const auto plan =
          Resolve(Request(served.method, TargetOf(served)), surface, kOne);
      const bool here = std::ranges::count(served.surfaces, surface) > 0;
      ASSERT_EQ(plan.has_value(), here) << served.path;
      if (here) {
        EXPECT_EQ(plan->route, served.route);
      } else {
        EXPECT_EQ(plan.error().status, 404);
        EXPECT_THAT(plan.error().body, HasSubstr("is served on the "));
      }
    }
  }
}

TEST(Routes, AWrongMethodNamesTheRightOnes) {
  for (const Served& served : kServed) {
    for (const Method method :
         {Method::kGet, Method::kHead, Method::kPost, Method::kOther}) {
      const bool read = served.method == Method::kGet;
      const bool right =
          method == served.method || (read && method == Method::kHead);
      const auto plan = Resolve(Request(method, TargetOf(served)),
                                served.surfaces.front(), kOne);
      ASSERT_EQ(plan.has_value(), right) << served.path;
      if (right) continue;
      EXPECT_EQ(plan.error().status, 405);
      EXPECT_STREQ(plan.error().allow, read ? "GET, HEAD" : "POST");
    }
  }
}

TEST(Routes, AnUnknownPathListsTheRoutesOfItsListener) {
  auto plan = Get("/v2/x", Surface::kStatusTcp, kOne);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().status, 404);
  EXPECT_THAT(plan.error().body,
              AllOf(HasSubstr("GET /v1/generation"), HasSubstr("GET /v1/watch"),
                    Not(HasSubstr("/v1/work")), Not(HasSubstr("/livez"))));
  plan = Get("/", Surface::kProbe, kOne);
  EXPECT_THAT(plan.error().body,
              AllOf(HasSubstr("GET /livez"), Not(HasSubstr("/v1/"))));
  plan = Get("/", Surface::kControl, kOne);
  EXPECT_THAT(plan.error().body, HasSubstr("POST /v1/release"));
  for (const char* odd : {"*", "", "/v1/status/", "//v1/status"}) {
    EXPECT_EQ(Get(odd, Surface::kStatusTcp, kOne).error().status, 404) << odd;
  }
}

TEST(Routes, OneLeaseNeedsNoNameSeveralDo) {
  EXPECT_EQ(Get("/v1/generation", Surface::kStatusUnix, kOne)->lease, 0U);
  EXPECT_EQ(Get("/v1/generation?lease=demo", Surface::kStatusUnix, kTwo)->lease,
            1U);
  const auto plan = Get("/v1/generation", Surface::kStatusUnix, kTwo);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().status, 400);
  EXPECT_THAT(plan.error().body, HasSubstr("billing, demo"));
  EXPECT_EQ(Get("/v1/watch", Surface::kStatusUnix, kTwo).error().status, 400);
}

TEST(Routes, OfSlotsTheOneGivenServesWhoNamesNone) {
  const auto ask = [](const char* target) {
    return Resolve(Request(Method::kGet, target), Surface::kStatusUnix, kTwo,
                   1);
  };
  EXPECT_EQ(ask("/v1/generation")->lease, 1U);
  EXPECT_EQ(ask("/v1/check?generation=5")->lease, 1U);
  EXPECT_EQ(ask("/v1/generation?lease=billing")->lease, 0U);
  EXPECT_EQ(ask("/v1/status")->lease, std::nullopt);
  EXPECT_EQ(ask("/v1/watch").error().status, 400);
}

TEST(Routes, AnUnknownLeaseNamesTheKnownOnes) {
  for (const char* name : {"other", "", "dem", "demo%00"}) {
    const auto plan = Get(std::string("/v1/status?lease=") + name,
                          Surface::kStatusUnix, kTwo);
    ASSERT_FALSE(plan.has_value()) << name;
    EXPECT_EQ(plan.error().status, 404);
    EXPECT_THAT(plan.error().body, HasSubstr("billing, demo"));
  }
  EXPECT_EQ(Get("/v1/status?lease=a&lease=b", Surface::kStatusUnix, kTwo)
                .error()
                .status,
            400);
}

TEST(Routes, StatusWithoutANameIsAllLeases) {
  EXPECT_EQ(Get("/v1/status", Surface::kStatusUnix, kTwo)->lease, std::nullopt);
  EXPECT_EQ(Get("/v1/status", Surface::kStatusUnix, kOne)->lease, 0U);
}

TEST(Routes, CheckNeedsAGeneration) {
  auto plan =
      Get("/v1/check?generation=17&fresh=true", Surface::kStatusTcp, kOne);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->generation, 17);
  EXPECT_TRUE(plan->fresh);
  EXPECT_TRUE(NeedsLoop(*plan));
  plan = Get("/v1/check?generation=17", Surface::kStatusTcp, kOne);
  EXPECT_FALSE(NeedsLoop(*plan));
  for (const char* query :
       {"", "?generation=", "?generation=0", "?generation=-1", "?generation=x",
        "?generation=1&generation=1", "?generation=01",
        "?generation=9007199254740992", "?generation=5&fresh=maybe",
        "?generation=%3"}) {
    const auto refused =
        Get(std::string("/v1/check") + query, Surface::kStatusTcp, kOne);
    ASSERT_FALSE(refused.has_value()) << query;
    EXPECT_EQ(refused.error().status, 400) << query;
  }
}

TEST(Routes, AControlRequestCarriesItsNumberInBodyOrQuery) {
  for (const char* path : {"/v1/work", "/v1/done", "/v1/release"}) {
    EXPECT_EQ(Post(path, "{\"generation\":\"123\"}")->generation, 123) << path;
    EXPECT_EQ(Post(path, "{\"generation\":123}")->generation, 123) << path;
    EXPECT_EQ(Post(std::string(path) + "?generation=123", "")->generation, 123);
    EXPECT_TRUE(NeedsLoop(*Post(path, "{\"generation\":\"1\"}")));
  }
  EXPECT_EQ(Post("/v1/floor", "{\"floor\":\"9\"}")->generation, 9);
  EXPECT_EQ(Post("/v1/floor", "{\"generation\":\"9\"}")->generation, 9);
  EXPECT_EQ(Post("/v1/floor?floor=9", "")->generation, 9);
  EXPECT_EQ(Post("/v1/floor?generation=9", "")->generation, 9);
}

TEST(Routes, AFloorIsFromNothingToTheLastThatLeavesAGenerationAboveIt) {
  EXPECT_EQ(Post("/v1/floor?floor=0", "")->generation, 0);
  EXPECT_EQ(Post("/v1/floor?floor=9007199254740990", "")->generation,
            9'007'199'254'740'990);
  for (const char* floor : {"9007199254740991", "-1", "00", "1.0", ""}) {
    const auto plan = Post(std::string("/v1/floor?floor=") + floor, "");
    ASSERT_FALSE(plan) << floor;
    EXPECT_EQ(plan.error().status, 400) << floor;
    EXPECT_THAT(plan.error().body, HasSubstr("from 0 to 9007199254740990"));
  }
}

TEST(Routes, AParameterThatARouteDoesNotKnowIsRefusedWithThoseItKnows) {
  const auto refusal = [](const std::expected<Plan, HttpReply>& plan) {
    return plan ? "" : std::to_string(plan.error().status) + plan.error().body;
  };
  EXPECT_EQ(refusal(Get("/v1/check?generation=3&frehs=true",
                        Surface::kStatusUnix, kOne)),
            "400no parameter \"frehs\" of /v1/check; there are: generation, "
            "fresh, lease\n");
  for (const char* target :
       {"/v1/status?leases=demo", "/v1/status?Lease=demo", "/v1/status?x",
        "/v1/status?%6cease=demo", "/v1/status?=demo", "/v1/status?run=a&by=b",
        "/v1/generation?lease=demo&&fresh", "/v1/watch?since=1"}) {
    EXPECT_THAT(refusal(Get(target, Surface::kStatusTcp, kOne)),
                HasSubstr("there are: lease\n"))
        << target;
  }
  EXPECT_TRUE(Get("/v1/status?&lease=demo&", Surface::kStatusTcp, kOne));
  EXPECT_THAT(refusal(Post("/v1/done?generation=3&runs=a", "")),
              HasSubstr("generation, lease, run, by"));
}

TEST(Routes, ProbesAreNotRefusedForAParameter) {
  for (const char* path : {"/livez?verbose", "/readyz?x=1", "/metrics?a[]=b"}) {
    EXPECT_TRUE(Get(path, Surface::kProbe, kOne)) << path;
  }
}

TEST(Routes, ARunIsNamedInBodyOrQuery) {
  const std::string both = R"({"generation":"3","run":"bill:2026-11-29"})";
  EXPECT_EQ(Post("/v1/run", both)->run.id, "bill:2026-11-29");
  EXPECT_EQ(Post("/v1/run", both)->generation, 3);
  const auto plan = Post("/v1/run?generation=3&run=bill%3A2026-11-29", "");
  EXPECT_EQ(plan->run.id, "bill:2026-11-29");
  EXPECT_TRUE(NeedsLoop(*plan));
  for (const char* query :
       {"", "&run=", "&run=a%20b", "&run=a%0Ab", "&run=a&run=b"}) {
    const auto refused = Post(std::string("/v1/run?generation=3") + query, "");
    ASSERT_FALSE(refused) << query;
    EXPECT_EQ(refused.error().status, 400) << query;
  }
}

TEST(Routes, AWorkMaySayWhichRunItCarriesOutAndWhoDoes) {
  const WorkRun run{"bill:2026-11-29", "77-1"};
  for (const char* path : {"/v1/work", "/v1/done"}) {
    const std::string target = path;
    const auto plan =
        Post(target + "?generation=3&run=bill%3A2026-11-29&by=77-1", "");
    EXPECT_EQ(plan->run, run) << path;
    const std::string body =
        R"({"generation":"3","run":"bill:2026-11-29","by":"77-1"})";
    EXPECT_EQ(Post(target, body)->run, run) << path;
    EXPECT_EQ(Post(target + "?generation=3", "")->run, WorkRun{}) << path;
    for (const char* query : {"&run=a", "&by=a", "&run=a%20b&by=c",
                              "&run=a&by=%0A", "&run=a&by=b&by=c"}) {
      const auto refused = Post(target + "?generation=3" + query, "");
      ASSERT_FALSE(refused) << path << query;
      EXPECT_EQ(refused.error().status, 400) << path << query;
    }
  }
}

TEST(Routes, WhoCarriesOutARunIsHeardOnTheControlSocket) {
  const auto plan =
      Get("/v1/status?run=bill-20&by=77-1", Surface::kControl, kOne);
  EXPECT_EQ(plan->run, (WorkRun{"bill-20", "77-1"}));
  EXPECT_FALSE(NeedsLoop(*plan));
}

TEST(Routes, AControlRequestWithoutAUsableNumberIsRefused) {
  for (const char* body :
       {"", "{}", "[]", "null", "{", "{\"generation\":null}",
        "{\"generation\":1.5}", "{\"generation\":\"1 \"}",
        "{\"generation\":-1}", "{\"generation\":9007199254740992}",
        "{\"generation\":18446744073709551616}", "{\"generation\":{}}",
        "{\"generation\":\"\"}", "generation=1", "\xff\xfe"}) {
    const auto plan = Post("/v1/work", body);
    ASSERT_FALSE(plan.has_value()) << body;
    EXPECT_EQ(plan.error().status, 400) << body;
  }
  const auto both = Post("/v1/work?generation=1", "{\"generation\":\"1\"}");
  ASSERT_FALSE(both.has_value());
  EXPECT_THAT(both.error().body, HasSubstr("found both"));
}

TEST(Routes, ADeeplyNestedBodyIsRefusedAndNothingElse) {
  EXPECT_FALSE(Post("/v1/work", std::string(4'096, '[')).has_value());
  EXPECT_FALSE(
      Post("/v1/work", std::string(2'048, '[') + std::string(2'048, ']'))
          .has_value());
}

TEST(Routes, BrowsersAreRefusedOnEveryListener) {
  for (const Surface surface : kSurfaces) {
    HttpRequest request = Request(Method::kGet, "/v1/generation");
    request.has_origin = true;
    EXPECT_EQ(Resolve(request, surface, kOne).error().status, 403);
  }
}

TEST(Routes, OnlyLoopbackHostsReachTheStatusPort) {
  const auto status = [](const std::string& host, Surface surface) {
    HttpRequest request = Request(Method::kGet, "/v1/generation");
    request.host = host;
    const auto plan = Resolve(request, surface, kOne);
    return plan ? 200 : plan.error().status;
  };
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:7421",
                           "[::1]", "[::1]:65535", "127.0.0.1"}) {
    EXPECT_EQ(status(host, Surface::kStatusTcp), 200) << host;
  }
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "localhost:80.evil",
        "127.0.0.1.nip.io", "127.0.0.2", "::1", "[::1", "localhost:123456",
        "localhost@evil"}) {
    EXPECT_EQ(status(host, Surface::kStatusTcp), 403) << host;
    EXPECT_EQ(status(host, Surface::kStatusUnix), 200) << host;
  }
}

TEST(Routes, ProbesAreAskedByAddressAndByNoOtherName) {
  const auto status = [](const std::string& host) {
    HttpRequest request = Request(Method::kGet, "/metrics");
    request.host = host;
    const auto plan = Resolve(request, Surface::kProbe, kOne);
    return plan ? 200 : plan.error().status;
  };
  for (const char* host : {"10.0.0.7:7422", "[fd00::7]:7422", "localhost"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* host : {"evil.example", "evil.example:7422", ""}) {
    EXPECT_EQ(status(host), 403) << host;
  }
}

TEST(Routes, AnAbsoluteTargetCountsBeforeTheHostHeader) {
  EXPECT_TRUE(Get("http://LOCALHOST:7421/v1/%67eneration?lease=demo",
                  Surface::kStatusTcp, kOne)
                  .has_value());
  EXPECT_EQ(Get("http://evil.example/v1/generation", Surface::kStatusTcp, kOne)
                .error()
                .status,
            403);
}

TEST(Routes, OneHostHeaderIsExpected) {
  HttpRequest request = Request(Method::kGet, "/v1/generation");
  request.host_fields = 0;
  EXPECT_EQ(Resolve(request, Surface::kStatusUnix, kOne).error().status, 400);
  request.host_fields = 2;
  EXPECT_EQ(Resolve(request, Surface::kStatusUnix, kOne).error().status, 400);
  request.host_fields = 0;
  request.http11 = false;
  EXPECT_TRUE(Resolve(request, Surface::kStatusTcp, kOne).has_value());
}

TEST(Routes, OtherExpectationsAreRefused) {
  HttpRequest request = Request(Method::kGet, "/v1/generation");
  request.expects_continue = true;
  EXPECT_TRUE(Resolve(request, Surface::kStatusUnix, kOne).has_value());
  request.expects_other = true;
  EXPECT_EQ(Resolve(request, Surface::kStatusUnix, kOne).error().status, 417);
}

TEST(Routes, ErrorsAreTextOrJsonAsTheClientPrefers) {
  HttpRequest request = Request(Method::kGet, "/nothing");
  request.accept = "application/json";
  EXPECT_THAT(Resolve(request, Surface::kStatusUnix, kOne).error().body,
              HasSubstr("{\"error\":\"no route"));
  request.accept = "*/*";
  EXPECT_THAT(Resolve(request, Surface::kStatusUnix, kOne).error().body,
              HasSubstr("no route \"/nothing\""));
}

TEST(Routes, AnErrorQuotesOnlyTheBeginningOfALongPath) {
  const auto plan =
      Get("/" + std::string(8'000, 'x'), Surface::kStatusUnix, kOne);
  EXPECT_LT(plan.error().body.size(), 400U);
}

}  // namespace
}  // namespace tenure
