#include "sidecar/cli/event_lines.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {
namespace {

constexpr std::string_view kStream =
    "event: status\ndata: {\"a\":1}\n\n:\n\nevent: status\ndata:b\ndata: c\n\n";

std::vector<std::string> ReadInPieces(std::string_view text,
                                      std::size_t piece) {
  EventLines lines;
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    EXPECT_TRUE(lines.Add(text.substr(at, piece)));
    while (const std::optional<std::string> next = lines.Next()) {
      found.push_back(*next);
    }
  }
  return found;
}

TEST(EventLines, GivesTheDataOfEachEventHoweverTheBytesCome) {
  const std::vector<std::string> whole{"{\"a\":1}", "b\nc"};
  for (std::size_t piece = 1; piece <= kStream.size(); ++piece) {
    EXPECT_EQ(ReadInPieces(kStream, piece), whole) << piece;
  }
}

TEST(EventLines, WaitsForTheEndOfAnEvent) {
  EventLines lines;
  EXPECT_TRUE(lines.Add("data: a\n"));
  EXPECT_EQ(lines.Next(), std::nullopt);
  EXPECT_TRUE(lines.Add("\n"));
  EXPECT_EQ(lines.Next(), "a");
  EXPECT_EQ(lines.Next(), std::nullopt);
}

TEST(EventLines, AnEventWithoutEndIsRefused) {
  EventLines lines;
  EXPECT_TRUE(lines.Add(std::string(EventLines::kMaxEvent, 'x')));
  EXPECT_FALSE(lines.Add("x"));
}

}  // namespace
}  // namespace tenure
