// Every input that is kept in tests/fuzz/corpus, among them those that once
// broke something, through its target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/targets.h"

namespace tenure::fuzz {
namespace {

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, BreaksNothing) {
  const std::filesystem::path folder =
      std::filesystem::path(TENURE_SOURCE_DIR) / "tests/fuzz/corpus" /
      GetParam().name;
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    GetParam().run(bytes);
    ++inputs;
  }
  EXPECT_GE(inputs, 3) << folder;
}

INSTANTIATE_TEST_SUITE_P(Of, Corpus, testing::ValuesIn(kTargets),
                         [](const auto& target) {
                           return std::string(target.param.name);
                         });

}  // namespace
}  // namespace tenure::fuzz
