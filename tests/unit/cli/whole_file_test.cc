#include "sidecar/cli/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sidecar/base/error.h"

namespace tenure {
namespace {

using testing::HasSubstr;

class WholeFile : public testing::Test {
 protected:
  WholeFile() {
    std::string pattern = testing::TempDir() + "whole_file_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~WholeFile() override { std::filesystem::remove_all(folder_); }

  std::string Path() const { return folder_ + "/a.svg"; }

  static std::string Text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  long Files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

  std::string folder_;
};

TEST_F(WholeFile, ReplacesTheOneThatWasThere) {
  ASSERT_TRUE(WriteWholeFile(Path(), "one"));
  EXPECT_EQ(Text(Path()), "one");
  EXPECT_TRUE(WriteWholeFile(Path(), "two"));
  EXPECT_EQ(Text(Path()), "two");
  EXPECT_EQ(Files(), 1);
}

TEST_F(WholeFile, HasTheModeThatTheUmaskLeaves) {
  const mode_t mask = umask(027);
  ASSERT_TRUE(WriteWholeFile(Path(), "one"));
  umask(mask);
  struct stat found{};
  ASSERT_EQ(stat(Path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0640U);
}

TEST_F(WholeFile, AFolderThatIsNotThereIsSaid) {
  const Result<void> refused = WriteWholeFile(folder_ + "/none/a.svg", "one");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("none/a.svg"));
  EXPECT_EQ(Files(), 0);
}

TEST_F(WholeFile, LeavesNothingBehindWhereItCannotBePut) {
  ASSERT_TRUE(std::filesystem::create_directory(Path()));
  EXPECT_FALSE(WriteWholeFile(Path(), "one"));
  EXPECT_EQ(Files(), 1);
}

}  // namespace
}  // namespace tenure
