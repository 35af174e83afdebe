#include "sidecar/server/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure {
namespace {

using ::testing::HasSubstr;

TEST(Query, FindsAndDecodesAValue) {
  EXPECT_EQ(*QueryValue("lease=a-b&generation=7", "generation"), "7");
  EXPECT_EQ(*QueryValue("lease=a%2Db+c%41", "lease"), "a-b cA");
  EXPECT_EQ(*QueryValue("lease=a=b", "lease"), "a=b");
  EXPECT_EQ(*QueryValue("lease", "lease"), "");
  EXPECT_EQ(*QueryValue("&&lease=x&", "lease"), "x");
}

TEST(Query, AbsentIsNotEmpty) {
  EXPECT_EQ(*QueryValue("", "lease"), std::nullopt);
  EXPECT_EQ(*QueryValue("leases=x&lea=y", "lease"), std::nullopt);
}

TEST(Query, TwoValuesAreRefused) {
  const auto value = QueryValue("lease=a&lease=a", "lease");
  ASSERT_FALSE(value.has_value());
  EXPECT_THAT(value.error().message, HasSubstr("found several"));
}

TEST(Query, BrokenEscapesAreRefused) {
  for (const char* query : {"lease=%", "lease=a%4", "lease=%zz", "lease=%4"}) {
    EXPECT_FALSE(QueryValue(query, "lease").has_value()) << query;
  }
}

TEST(Query, AFlagIsTrueFalseOrAnError) {
  EXPECT_TRUE(*QueryFlag("fresh=true", "fresh"));
  EXPECT_TRUE(*QueryFlag("fresh=1", "fresh"));
  EXPECT_TRUE(*QueryFlag("fresh", "fresh"));
  EXPECT_FALSE(*QueryFlag("fresh=false", "fresh"));
  EXPECT_FALSE(*QueryFlag("fresh=0", "fresh"));
  EXPECT_FALSE(*QueryFlag("", "fresh"));
  const auto odd = QueryFlag("fresh=maybe", "fresh");
  ASSERT_FALSE(odd.has_value());
  EXPECT_THAT(odd.error().message, HasSubstr("found \"maybe\""));
}

}  // namespace
}  // namespace tenure
