#include "sidecar/telemetry/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kLimit = 64 * 1024;
constexpr Duration kGenerous = seconds(30);

// A pipe nobody reads until asked.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Pipe() {
    CloseReader();
    close(ends_[1]);
  }

  int writer() const { return ends_[1]; }

  void CloseReader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }

  // Exactly `size` bytes.
  std::string Read(std::size_t size) const {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t n = read(ends_[0], text.data() + got, size - got);
      if (n <= 0) break;
      got += static_cast<std::size_t>(n);
    }
    text.resize(got);
    return text;
  }

  // Fills the pipe so that the next write would block.
  std::size_t Fill() const {
    const int flags = fcntl(ends_[1], F_GETFL);
    fcntl(ends_[1], F_SETFL, flags | O_NONBLOCK);
    const std::string page(4096, '.');
    std::size_t filled = 0;
    ssize_t n = 0;
    while ((n = write(ends_[1], page.data(), page.size())) > 0) {
      filled += static_cast<std::size_t>(n);
    }
    fcntl(ends_[1], F_SETFL, flags);
    return filled;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(LineWriter, LinesArriveWholeAndInOrder) {
  const Pipe pipe;
  LineWriter writer(pipe.writer(), kLimit);
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    writer.Write(line);
    expected += line;
  }
  EXPECT_TRUE(writer.Flush(kGenerous));
  EXPECT_EQ(pipe.Read(expected.size()), expected);
  EXPECT_EQ(writer.Dropped(), 0U);
}

TEST(LineWriter, AStuckReaderLosesLinesAndHoldsNobodyUp) {
  const Pipe pipe;
  const std::size_t filled = pipe.Fill();
  LineWriter writer(pipe.writer(), kLimit);
  const std::string line(1023, 'x');
  for (int i = 0; i < 1000; ++i) writer.Write(line + "\n");  // would block
  EXPECT_EQ(writer.Dropped(), 1000U - kLimit / 1024);
  EXPECT_FALSE(writer.Flush(milliseconds(1)));

  pipe.Read(filled);
  const std::string got = pipe.Read(kLimit);
  EXPECT_TRUE(writer.Flush(kGenerous));
  for (std::size_t i = 0; i < kLimit; i += 1024) {
    ASSERT_EQ(got.substr(i, 1024), line + "\n");
  }
  writer.Write("after\n");
  EXPECT_EQ(pipe.Read(6), "after\n");
}

TEST(LineWriter, LongLinesGoInPieces) {
  const Pipe pipe;
  LineWriter writer(pipe.writer(), kLimit);
  const std::string line = std::string(20'000, 'y') + "\n";
  writer.Write(line);
  EXPECT_EQ(pipe.Read(line.size()), line);
}

TEST(LineWriter, ALineAboveTheLimitIsDropped) {
  const Pipe pipe;
  LineWriter writer(pipe.writer(), 16);
  writer.Write("much too long for it\n");
  writer.Write("short\n");
  EXPECT_EQ(pipe.Read(6), "short\n");
  EXPECT_EQ(writer.Dropped(), 1U);
}

TEST(LineWriter, AClosedReaderCostsLinesOnly) {
  Pipe pipe;
  pipe.CloseReader();
  LineWriter writer(pipe.writer(), kLimit);
  for (int i = 0; i < 10; ++i) {
    writer.Write("lost\n");
    EXPECT_TRUE(writer.Flush(kGenerous));
  }
  EXPECT_EQ(writer.Dropped(), 10U);
}

TEST(LineWriter, EndsWhileTheReaderIsStuck) {
  const Pipe pipe;
  pipe.Fill();
  auto writer = std::make_unique<LineWriter>(pipe.writer(), kLimit);
  writer->Write("never read\n");
  writer.reset();
}

}  // namespace
}  // namespace tenure
