#include "sidecar/cli/dev_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tenure {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class DevFile : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t Files() const {
    return std::distance(fs::directory_iterator(folder_),
                         fs::directory_iterator());
  }

  std::string folder_ = "/tmp/tenure-dev-XXXXXX";
};

TEST_F(DevFile, IsWrittenForItsOwnerAloneAndNothingElseIs) {
  ASSERT_TRUE(WriteDevFile(Path("c"), "text\n", false).has_value());
  EXPECT_THAT(Read(Path("c")), EndsWith("\ntext\n"));
  EXPECT_EQ(fs::status(Path("c")).permissions(), fs::perms(0600));
  EXPECT_EQ(Files(), 1);
}

TEST_F(DevFile, ItsOwnIsReplaced) {
  ASSERT_TRUE(WriteDevFile(Path("c"), "one\n", false).has_value());
  ASSERT_TRUE(WriteDevFile(Path("c"), "two\n", false).has_value());
  EXPECT_THAT(Read(Path("c")), EndsWith("\ntwo\n"));
  EXPECT_EQ(Files(), 1);
}

TEST_F(DevFile, AnothersIsLeftAloneWithWhatToDo) {
  std::ofstream(Path("c")) << "credentials";
  std::ofstream(Path("c.new")) << "more";
  const auto written = WriteDevFile(Path("c"), "text\n", false);
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().message,
              AllOf(HasSubstr(Path("c")), HasSubstr("--force")));
  EXPECT_EQ(Read(Path("c")), "credentials");
  EXPECT_EQ(Read(Path("c.new")), "more");
  EXPECT_EQ(Files(), 2);
}

TEST_F(DevFile, ForceReplacesAFileAndNothingElse) {
  std::ofstream(Path("c")) << "credentials";
  EXPECT_TRUE(WriteDevFile(Path("c"), "text\n", true).has_value());
  EXPECT_THAT(Read(Path("c")), EndsWith("\ntext\n"));
  fs::create_symlink(Path("c"), Path("l"));
  EXPECT_FALSE(WriteDevFile(Path("l"), "text\n", true).has_value());
  fs::create_directory(Path("d"));
  EXPECT_FALSE(WriteDevFile(Path("d"), "text\n", true).has_value());
}

TEST_F(DevFile, AFolderThatIsNotThereIsNamed) {
  const auto written = WriteDevFile(Path("no/c"), "text\n", false);
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().message, HasSubstr(Path("no/c")));
}

}  // namespace
}  // namespace tenure
