#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sidecar/server/limits.h"
#include "sidecar/server/listening_socket.h"

namespace tenure {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class UnixSocket : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  Result<ListeningSocket> Listen(const std::string& path) {
    return ListenOnUnix(path, 0660, "", "--s");
  }
  std::string WhyNot(const std::string& path) {
    const auto made = Listen(path);
    return made ? "it listens" : made.error().message;
  }
  // A socket file whose process is gone.
  void Abandon(const std::string& path) {
    auto made = Listen(Path("other"));
    ASSERT_TRUE(made.has_value());
    fs::rename(Path("other"), path);
  }

  std::string folder_ = "/tmp/tenure-unix-XXXXXX";
};

TEST_F(UnixSocket, IsThereWithItsModeAndNothingElseIs) {
  const mode_t before = umask(0077);
  const auto made = Listen(Path("s"));
  umask(before);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  struct stat found{};
  ASSERT_EQ(lstat(Path("s").c_str(), &found), 0);
  EXPECT_TRUE(S_ISSOCK(found.st_mode));
  EXPECT_EQ(found.st_mode & 07777, 0660U);
  EXPECT_EQ(
      std::distance(fs::directory_iterator(folder_), fs::directory_iterator()),
      1);
}

TEST_F(UnixSocket, GoesWithItsOwner) {
  {
    const auto made = Listen(Path("s"));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(UnixSocket, LeavesASocketThatTookItsPlace) {
  {
    auto first = Listen(Path("s"));
    ASSERT_TRUE(first.has_value());
    fs::remove(Path("s"));
    auto second = Listen(Path("s"));
    ASSERT_TRUE(second.has_value());
    {
      const ListeningSocket gone = *std::move(first);
    }
    EXPECT_TRUE(fs::exists(Path("s")));
  }
  EXPECT_FALSE(fs::exists(Path("s")));
}

TEST_F(UnixSocket, AnAbandonedSocketIsReplaced) {
  Abandon(Path("s"));
  ASSERT_TRUE(fs::is_socket(Path("s")));
  const auto made = Listen(Path("s"));
  EXPECT_TRUE(made.has_value());
}

TEST_F(UnixSocket, ALivingSocketIsNot) {
  const auto first = Listen(Path("s"));
  EXPECT_THAT(WhyNot(Path("s")),
              AllOf(HasSubstr("in use by process " + std::to_string(getpid())),
                    HasSubstr("--s")));
}

TEST_F(UnixSocket, AnotherFileIsNeverRemoved) {
  std::ofstream(Path("s")) << "precious";
  EXPECT_THAT(WhyNot(Path("s")), HasSubstr("found another file"));
  fs::create_directory(Path("d"));
  EXPECT_THAT(WhyNot(Path("d")), HasSubstr("found another file"));
  fs::create_symlink(Path("s"), Path("l"));
  EXPECT_THAT(WhyNot(Path("l")), HasSubstr("found another file"));
  EXPECT_EQ(fs::file_size(Path("s")), 8U);
}

TEST_F(UnixSocket, FilesBesideItAreLeftAlone) {
  for (const char* const name : {"_enure.sock", "-enure.sock", ".enure.sock"}) {
    std::ofstream(Path(name)) << "precious";
  }
  {
    const auto made = Listen(Path("tenure.sock"));
    ASSERT_TRUE(made.has_value()) << made.error().message;
    // One that differs in its first letter only.
    EXPECT_TRUE(Listen(Path("xenure.sock")).has_value());
  }
  for (const char* const name : {"_enure.sock", "-enure.sock", ".enure.sock"}) {
    EXPECT_EQ(fs::file_size(Path(name)), 8U) << name;
  }
}

TEST_F(UnixSocket, OfManyThatStartAtOnceOneHasThePath) {
  for (int round = 0; round < 20; ++round) {
    const std::string path = Path("s" + std::to_string(round));
    if (round % 2 == 0) Abandon(path);
    std::vector<std::optional<Result<ListeningSocket>>> made(4);
    {
      std::barrier together(4);
      std::vector<std::jthread> threads;
      for (auto& one : made) {
        threads.emplace_back([&] {
          together.arrive_and_wait();
          one = Listen(path);
        });
      }
    }
    const auto is_living = [](const auto& one) { return one->has_value(); };
    EXPECT_EQ(std::count_if(made.begin(), made.end(), is_living), 1);
    EXPECT_THAT(WhyNot(path), HasSubstr("in use"));
  }
}

TEST_F(UnixSocket, TheLongestPathFitsAndALongerOneIsRefused) {
  const std::size_t room = kMaxSocketPathBytes - folder_.size() - 1;
  EXPECT_TRUE(Listen(Path(std::string(room, 's'))).has_value());
  EXPECT_THAT(WhyNot(Path(std::string(room + 1, 's'))),
              AllOf(HasSubstr("at most 107 bytes"), HasSubstr("108 bytes"),
                    HasSubstr("--s")));
  // One letter, at the end of a path that just fits.
  const std::string deep = Path(std::string(room - 2, 'd'));
  EXPECT_TRUE(Listen(deep + "/s").has_value());
  EXPECT_THAT(WhyNot(Path("")), HasSubstr("--s"));
  EXPECT_THAT(WhyNot(""), HasSubstr("--s"));
}

TEST_F(UnixSocket, FoldersAreMadeForAllToEnter) {
  const mode_t before = umask(0077);
  const auto made = Listen(Path("a/s"));
  umask(before);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(fs::status(Path("a")).permissions(), fs::perms(0755));
}

TEST_F(UnixSocket, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(Path("file")) << "x";
  EXPECT_THAT(WhyNot(Path("file/s")), HasSubstr("--s"));
  EXPECT_THAT(WhyNot("/proc/tenure/s"), HasSubstr("/proc/tenure"));
}

TEST_F(UnixSocket, AnUnknownGroupIsRefusedAndLeavesNothing) {
  const auto made = ListenOnUnix(Path("s"), 0660, "no-such-group-here", "--s");
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("no-such-group-here"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(UnixSocket, AGroupMayBeANumber) {
  const auto made =
      ListenOnUnix(Path("s"), 0660, std::to_string(getgid()), "--s");
  ASSERT_TRUE(made.has_value()) << made.error().message;
  struct stat found{};
  ASSERT_EQ(lstat(Path("s").c_str(), &found), 0);
  EXPECT_EQ(found.st_gid, getgid());
}

}  // namespace
}  // namespace tenure
