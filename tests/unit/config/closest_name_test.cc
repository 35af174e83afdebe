#include "sidecar/config/closest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure {
namespace {

const std::vector<std::string> kKnown{"lease-duration", "renew-deadline",
                                      "watch", "lease"};

TEST(ClosestName, FindsASlipOfTheFingers) {
  EXPECT_EQ(ClosestName("lease-duraton", kKnown), "lease-duration");
  EXPECT_EQ(ClosestName("wacth", kKnown), "watch");
  EXPECT_EQ(ClosestName("watchh", kKnown), "watch");
  EXPECT_EQ(ClosestName("leas", kKnown), "lease");
}

TEST(ClosestName, DoesNotGuessWildly) {
  EXPECT_EQ(ClosestName("", kKnown), "");
  EXPECT_EQ(ClosestName("zzz", kKnown), "");
  EXPECT_EQ(ClosestName("kubeconfig", kKnown), "");
  EXPECT_EQ(ClosestName(std::string(65, 'a'), kKnown), "");
}

}  // namespace
}  // namespace tenure
