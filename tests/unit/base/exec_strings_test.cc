#include "sidecar/base/exec_strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure {
namespace {

using testing::ElementsAre;

TEST(MergedEnvironment, ReplacesByTheWholeNameAndAddsTheRest) {
  const char* const inherited[] = {"A=1", "AB=2", "C", "D=x=y", nullptr};
  EXPECT_THAT(MergedEnvironment(inherited, {{"A", "3"}, {"E", ""}, {"C", "4"}}),
              ElementsAre("AB=2", "D=x=y", "A=3", "E=", "C=4"));
  EXPECT_THAT(MergedEnvironment(nullptr, {{"A", "1"}}), ElementsAre("A=1"));
}

TEST(ExecPointers, PointToTheTextsAndEndWithNull) {
  std::vector<std::string> texts = {"one", ""};
  EXPECT_THAT(ExecPointers(texts),
              ElementsAre(texts[0].data(), texts[1].data(), nullptr));
}

}  // namespace
}  // namespace tenure
