#include "sidecar/gate/proc_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "sidecar/gate/descriptor.h"

namespace tenure {
namespace {

// More than the numbers of all processes of a machine take.
constexpr std::size_t kMaxFile = std::size_t{1} << 20;

int Root() {
  // One for the process, as /proc is: it has to be opened before the command
  // runs, and is the same for both guards.
  static const Descriptor kRoot(
      ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return kRoot.get();
}

}  // namespace

bool ShowsOurNamespace() {
  std::array<char, 16> text;
  const ssize_t got = ::readlinkat(Root(), "self", text.data(), text.size());
  pid_t shown = 0;
  return got > 0 &&
         std::from_chars(text.data(), text.data() + got, shown).ec ==
             std::errc{} &&
         shown == ::getpid();
}

OpenedFolder OpenProcFolder(const std::string& path) {
  const int file =
      ::openat(Root(), path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const folder = file < 0 ? nullptr : ::fdopendir(file);
  if (file >= 0 && folder == nullptr) ::close(file);
  return {folder, &::closedir};
}

std::optional<std::string> ReadProcFile(const std::string& path) {
  const Descriptor file(::openat(Root(), path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;
  while (text.size() < kMaxFile) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace tenure
