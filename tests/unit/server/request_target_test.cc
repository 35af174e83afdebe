#include "sidecar/server/request_target.h"

#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

std::string Parsed(std::string_view target) {
  const RequestTarget parsed = ParseTarget(target, "header");
  return std::string(parsed.host) + " " + parsed.path + " " +
         std::string(parsed.query);
}

TEST(RequestTarget, OriginFormTakesTheHostOfTheHeader) {
  EXPECT_EQ(Parsed("/v1/status?lease=a&b"), "header /v1/status lease=a&b");
  EXPECT_EQ(Parsed("/"), "header / ");
  EXPECT_EQ(Parsed("*"), "header * ");
  EXPECT_EQ(Parsed(""), "header  ");
}

TEST(RequestTarget, AbsoluteFormBringsItsOwnHost) {
  EXPECT_EQ(Parsed("http://localhost:7421/v1/status?lease=a"),
            "localhost:7421 /v1/status lease=a");
  EXPECT_EQ(Parsed("HTTP://LOCALHOST"), "LOCALHOST / ");
  EXPECT_EQ(Parsed("http://evil?lease=a"), "evil / lease=a");
  EXPECT_EQ(Parsed("http://"), " / ");
  EXPECT_EQ(Parsed("https://localhost/x"), "header https://localhost/x ");
}

TEST(RequestTarget, OnlyUnreservedCharactersOfThePathAreDecoded) {
  EXPECT_EQ(Parsed("/v1/%67eneration?a=%67"), "header /v1/generation a=%67");
  EXPECT_EQ(Parsed("/v1%2fstatus"), "header /v1%2fstatus ");
  EXPECT_EQ(Parsed("/%00%0d%0a%3f"), "header /%00%0d%0a%3f ");
  EXPECT_EQ(Parsed("/%6"), "header /%6 ");
  EXPECT_EQ(Parsed("/%"), "header /% ");
  EXPECT_EQ(Parsed("/%zz%7E"), "header /%zz~ ");
}

TEST(RequestTarget, HostsAreComparedWithoutCase) {
  for (const char* host : {"localhost", "LOCALHOST", "LocalHost:1",
                           "127.0.0.1:7421", "[::1]", "[::1]:65535"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
    EXPECT_TRUE(IsAddressHost(host)) << host;
  }
}

TEST(RequestTarget, OtherAddressesAreNoLoopback) {
  for (const char* host : {"10.0.0.7", "10.0.0.7:7422", "[fd00::A]:7422",
                           "[::ffff:10.0.0.7]", "127.0.0.2"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
    EXPECT_TRUE(IsAddressHost(host)) << host;
  }
}

TEST(RequestTarget, NamesAreNeither) {
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "127.0.0.1.nip.io",
        "localhost:80.evil", "localhost:123456", "localhost@evil", "::1",
        "[::1", "[::1]x", "[]", "[localhost]", "127.1", "0x7f000001"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
    EXPECT_FALSE(IsAddressHost(host)) << host;
  }
}

}  // namespace
}  // namespace tenure
