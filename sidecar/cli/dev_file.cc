#include "sidecar/cli/dev_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tenure {
namespace {

constexpr char kFirstLine[] =
    "# Written by tenure dev, which replaces this file when it starts again.";

std::string Reason(int error) { return std::generic_category().message(error); }

bool IsOurs(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && line == kFirstLine;
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Of the new file `beside`; it is not there any more unless all went well.
Result<void> Publish(const std::string& beside, int fd, const std::string& text,
                     const std::string& path, bool force) {
  Result<void> done;
  if (!WriteAll(fd, std::string(kFirstLine) + "\n" + text)) {
    done = Fail(ErrorCode::kUnavailable,
                "expected to write " + beside + ": " + Reason(errno));
  }
  // mkstemp made it 0600.
  if (close(fd) != 0 && done) {
    done = Fail(ErrorCode::kUnavailable,
                "expected to write " + beside + ": " + Reason(errno));
  }
  // Again, for something may have come there meanwhile.
  if (done) done = CheckReplaceable(path, force);
  if (done && std::rename(beside.c_str(), path.c_str()) != 0) {
    done = Fail(ErrorCode::kUnavailable,
                "expected to write " + path + ": " + Reason(errno));
  }
  if (!done) unlink(beside.c_str());
  return done;
}

}  // namespace

Result<void> CheckReplaceable(const std::string& path, bool force) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return Fail(ErrorCode::kUnavailable, "expected to look at " + path + ": " +
                                             Reason(errno) +
                                             "; choose another file");
  }
  // A link would be replaced, not followed.
  if (!S_ISREG(found.st_mode)) {
    return Fail(ErrorCode::kUnavailable,
                "expected a file or nothing at " + path +
                    ", found something else; choose another file");
  }
  if (force || IsOurs(path)) return {};
  return Fail(ErrorCode::kUnavailable,
              "expected nothing at " + path +
                  ", or what tenure dev wrote, found another file; choose "
                  "another one, or give --force to replace it");
}

Result<void> WriteDevFile(const std::string& path, const std::string& text,
                          bool force) {
  std::string beside = path + ".XXXXXX";
  const int fd = mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) {
    return Fail(ErrorCode::kUnavailable,
                "expected to write beside " + path + ": " + Reason(errno) +
                    "; choose a file in a folder that can be written");
  }
  return Publish(beside, fd, text, path, force);
}

}  // namespace tenure
