#include "sidecar/drill/scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> SkippedWith(const DrillOptions& options) {
  std::vector<std::string> names;
  for (const Drill& drill : Drills()) {
    if (!WhySkipped(drill, options).empty()) names.emplace_back(drill.name);
  }
  return names;
}

TEST(Drills, AllRunOnTheEmbeddedServerWithFaketime) {
  DrillOptions options;
  options.faketime = "/lib/libfaketime.so.1";
  EXPECT_THAT(SkippedWith(options), IsEmpty());
}

TEST(Drills, WithoutFaketimeClocksAreNotStepped) {
  const DrillOptions options;
  EXPECT_THAT(SkippedWith(options), testing::ElementsAre("clock-step"));
  for (const Drill& drill : Drills()) {
    if (drill.name != std::string("clock-step")) continue;
    EXPECT_THAT(WhySkipped(drill, options), HasSubstr("install faketime"));
  }
}

TEST(Drills, OnAGivenServerWhatNeedsKnobsIsSkippedWithTheReason) {
  DrillOptions options;
  options.embedded = false;
  options.faketime = "/lib/libfaketime.so.1";
  EXPECT_THAT(SkippedWith(options),
              testing::ElementsAre("api-partition", "api-restart", "slow-api",
                                   "lease-deleted", "lost-acquire-response"));
}

}  // namespace
}  // namespace tenure
