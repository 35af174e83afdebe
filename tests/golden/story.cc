#include "tests/golden/story.h"

#include <sstream>

namespace tenure::golden {

std::vector<Block> ParseStory(const std::string& text) {
  std::vector<Block> blocks;
  std::istringstream in(text);
  std::string line;
  Block block;
  bool in_output = false;
  int number = 0;
  auto finish = [&] {
    if (!block.lines.empty()) blocks.push_back(std::move(block));
    block = Block{};
    in_output = false;
  };
  while (std::getline(in, line)) {
    ++number;
    if (line.empty()) {
      finish();
    } else if (in_output) {
      block.expected += line + "\n";
    } else if (line == "----") {
      in_output = true;
    } else {
      if (block.lines.empty()) block.line_number = number;
      block.lines.push_back(line);
      if (line[0] != '#') block.commands.push_back(line);
    }
  }
  finish();
  return blocks;
}

std::string RenderStory(const std::vector<Block>& blocks,
                        const std::vector<std::string>& printed) {
  std::string text;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) text += "\n";
    for (const std::string& line : blocks[i].lines) text += line + "\n";
    if (blocks[i].commands.empty()) continue;
    text += "----\n" + printed[i];
  }
  return text;
}

}  // namespace tenure::golden
