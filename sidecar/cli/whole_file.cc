#include "sidecar/cli/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "sidecar/base/error.h"

namespace tenure {
namespace {

std::unexpected<Error> NotWritten(const std::string& path, int error) {
  return Fail(ErrorCode::kUnavailable,
              "expected to write " + path +
                  ", found: " + std::generic_category().message(error));
}

// 0, or the error.
int WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Result<void> WriteWholeFile(const std::string& path, const std::string& text) {
  std::string beside = path + ".XXXXXX";
  const int file = ::mkostemp(beside.data(), O_CLOEXEC);
  if (file < 0) return NotWritten(path, errno);
  // As any file a program makes; mkostemp made it for its owner alone.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int error = WriteAll(file, text);
  if (error == 0 && ::fchmod(file, 0666 & ~mask) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (error == 0) return {};
  ::unlink(beside.c_str());
  return NotWritten(path, error);
}

}  // namespace tenure
