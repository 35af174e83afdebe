#include "sidecar/base/check.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

TEST(CheckDeathTest, AFailureNamesItsPlaceAndItsConditionAndAborts) {
  const int found = 3;
  EXPECT_EXIT(CHECK(found == 2), testing::KilledBySignal(SIGABRT),
              "check_test.cc:[0-9]+: CHECK failed: found == 2");
}

TEST(Check, ThatHoldsEvaluatesItsConditionOnce) {
  int evaluated = 0;
  CHECK(++evaluated > 0);
  EXPECT_EQ(evaluated, 1);
}

TEST(Check, IsOneStatement) {
  bool reached = false;
  if (reached)
    CHECK(false);
  else
    reached = true;
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace tenure
