// Runs every story under tests/golden/authority.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/golden/stage.h"
#include "tests/golden/story.h"

namespace tenure::golden {
namespace {

std::filesystem::path StoryFolder() {
  return std::filesystem::path(TENURE_SOURCE_DIR) / "tests/golden/authority";
}

std::vector<std::string> StoryNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(StoryFolder())) {
    if (entry.path().extension() == ".txt") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class GoldenStory : public testing::TestWithParam<std::string> {};

TEST_P(GoldenStory, ReadsAsItRuns) {
  const std::filesystem::path path = StoryFolder() / (GetParam() + ".txt");
  const std::vector<Block> blocks = ParseStory(ReadFile(path));
  ASSERT_FALSE(blocks.empty()) << path;
  Stage stage;
  std::vector<std::string> printed;
  for (const Block& block : blocks) {
    std::string output;
    for (const std::string& command : block.commands) {
      output += stage.Run(command);
    }
    EXPECT_THAT(output, testing::Not(testing::HasSubstr("cannot run this")))
        << path.string() << ":" << block.line_number;
    printed.push_back(output);
  }
  if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << RenderStory(blocks, printed);
    return;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].expected, printed[i])
        << path.string() << ":" << blocks[i].line_number
        << "; TENURE_REWRITE_GOLDEN=1 rewrites the file";
  }
}

INSTANTIATE_TEST_SUITE_P(Authority, GoldenStory,
                         testing::ValuesIn(StoryNames()),
                         [](const auto& story) { return story.param; });

TEST(GoldenStories, TellTheHistoriesTheFieldKnows) {
  EXPECT_THAT(StoryNames(), testing::SizeIs(testing::Ge(20)));
}

}  // namespace
}  // namespace tenure::golden
