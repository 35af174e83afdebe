#include "sidecar/kube/credential_text.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <system_error>

namespace tenure {
namespace {

constexpr std::size_t kMaxTokenBytes = 64 * 1024;

std::unexpected<Error> FileError(const std::string& path, int error) {
  return Fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
              path + ": expected a readable file, found: " +
                  std::system_category().message(error));
}

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// At most one byte more than allowed, which tells that it is too long.
Result<std::string> ReadAll(int fd, const std::string& path) {
  std::string text;
  char piece[4096];
  while (text.size() <= kMaxCredentialFileBytes) {
    const ssize_t got = ::read(fd, piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path, errno);
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
  return Fail(ErrorCode::kUnavailable,
              path +
                  ": expected at most 1 MiB, found more; is it the right "
                  "file?");
}

}  // namespace

Result<std::string> ReadCredentialFile(const std::string& path) {
  // Not blocking, because a FIFO without a writer would hang the open.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return FileError(path, errno);
  struct stat status = {};
  Result<std::string> text = FileError(path, EINVAL);
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    text = ReadAll(fd, path);
  } else {
    text = Fail(ErrorCode::kUnavailable,
                path + ": expected a regular file, found something else");
  }
  ::close(fd);
  return text;
}

Result<std::string> CleanToken(std::string_view text,
                               const std::string& where) {
  text = Trimmed(text);
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (!text.empty() && text.size() <= kMaxTokenBytes &&
      std::all_of(text.begin(), text.end(), printable)) {
    return std::string(text);
  }
  std::string found = "nothing";
  if (text.size() > kMaxTokenBytes) {
    found = std::to_string(text.size()) + " bytes";
  } else if (!text.empty()) {
    found = "spaces, control or non-ASCII bytes in it";
  }
  return Fail(ErrorCode::kInvalidArgument,
              where +
                  ": expected a bearer token of at most 64 KiB printable "
                  "ASCII, found " +
                  found + "; put a valid token there");
}

Result<std::string> DecodeBase64(std::string_view text,
                                 const std::string& where) {
  const auto refused = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                where + ": expected base64, found " +
                    std::to_string(text.size()) +
                    " characters that are not; encode it with base64 -w0");
  };
  std::string bare;
  std::copy_if(text.begin(), text.end(), std::back_inserter(bare),
               [](char c) { return !IsSpace(c); });
  if (bare.size() % 4 != 0) return refused();
  // EVP_DecodeBlock counts padding as bytes and takes '=' anywhere.
  const std::size_t data = std::min(bare.find('='), bare.size());
  const std::size_t padding = bare.size() - data;
  if (padding > 2 || bare.find_first_not_of('=', data) != std::string::npos) {
    return refused();
  }
  std::string bytes(bare.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(bare.data()),
                      static_cast<int>(bare.size()));
  if (size < 0) return refused();
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

std::string EnvironmentVariable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes it after start
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace tenure
