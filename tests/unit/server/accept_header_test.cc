#include "sidecar/server/accept_header.h"

#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

TEST(AcceptHeader, TextIsTheAnswerUnlessJsonIsNamed) {
  EXPECT_FALSE(PrefersJson(""));
  EXPECT_FALSE(PrefersJson("*/*"));
  EXPECT_FALSE(PrefersJson("application/*"));
  EXPECT_FALSE(PrefersJson("text/html, text/plain"));
  EXPECT_TRUE(PrefersJson("application/json"));
  EXPECT_TRUE(PrefersJson(" Application/JSON ; charset=utf-8 "));
  EXPECT_TRUE(PrefersJson("application/json, text/plain, */*"));
}

TEST(AcceptHeader, WeightsDecide) {
  EXPECT_FALSE(PrefersJson("application/json;q=0"));
  EXPECT_FALSE(PrefersJson("application/json;q=0.4, text/plain;q=0.5"));
  EXPECT_TRUE(PrefersJson("application/json;q=0.5, text/plain;q=0.499"));
  EXPECT_TRUE(PrefersJson("text/plain;q=0.5, application/json; Q=1.000"));
  EXPECT_TRUE(
      PrefersJson("application/json;q=0.1, application/json;q=0.9,"
                  "text/plain;q=0.5"));
}

TEST(AcceptHeader, WeightsThatAreNoneRefuse) {
  for (const char* weight : {"", "x", "2", "-1", "0,5", "1e3", "0.x", "1x"}) {
    EXPECT_FALSE(PrefersJson(std::string("application/json;q=") + weight))
        << weight;
  }
}

TEST(AcceptHeader, PrometheusGetsOpenMetrics) {
  EXPECT_TRUE(PrefersOpenMetrics(
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
      "application/openmetrics-text;version=0.0.1;q=0.5,"
      "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
      "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
  EXPECT_FALSE(PrefersOpenMetrics("text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
  EXPECT_FALSE(PrefersOpenMetrics("*/*"));
}

TEST(AcceptHeader, OddTextIsNotAPreference) {
  for (const char* odd : {",", ";", ",,;;,", "=", "application/json,;q",
                          "\"application/json\"", "application"}) {
    PrefersJson(odd);
  }
  EXPECT_FALSE(PrefersJson(",;,"));
  EXPECT_FALSE(PrefersJson("application/jsonx"));
}

}  // namespace
}  // namespace tenure
