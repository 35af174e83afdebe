#include "sidecar/gate/generation_variable.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

TEST(GenerationVariableTest, EveryNameOfALeaseMakesOneThatAShellCanRead) {
  EXPECT_EQ(GenerationVariable("payments-eu.v2"),
            "TENURE_GENERATION_PAYMENTS_EU_V2");
}

}  // namespace
}  // namespace tenure
