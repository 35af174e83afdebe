// Story: a golden file, text that anyone can read. Blocks of
//
//   # comment
//   command
//   ----
//   the whole output
//
// separated by empty lines. TENURE_REWRITE_GOLDEN=1 writes what was printed
// back into the file instead of comparing.
#ifndef TENURE_TESTS_GOLDEN_STORY_H_
#define TENURE_TESTS_GOLDEN_STORY_H_

#include <functional>
#include <string>
#include <vector>

namespace tenure::golden {

struct Block {
  std::vector<std::string> lines;  // comments and commands as written
  std::vector<std::string> commands;
  std::string expected;
  int line_number = 0;  // of the first line
};

std::vector<Block> ParseStory(const std::string& text);

// The file's text with each block's output replaced by `printed`.
std::string RenderStory(const std::vector<Block>& blocks,
                        const std::vector<std::string>& printed);

}  // namespace tenure::golden

#endif  // TENURE_TESTS_GOLDEN_STORY_H_
