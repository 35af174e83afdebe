#include "sidecar/cli/open_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

namespace tenure {
namespace {

// What the process opens for itself: event queues, timers, listeners, files
// being read again, a resolver's sockets, a credential plugin's pipes.
constexpr std::int64_t kOwn = 48;
// Of each lease: for writes, for fresh reads and for the watch, one that is
// being replaced beside each.
constexpr std::int64_t kEachLease = 6;
constexpr std::int64_t kMostLocal = 5 * 256;
constexpr std::int64_t kMostEmbedded = 512;
// A few for each listener, so that probes and one reader are answered.
constexpr std::int64_t kLeastLocal = 20;

std::int64_t Reserved(std::int64_t open, std::size_t leases) {
  return open + kOwn + kEachLease * static_cast<std::int64_t>(leases);
}

// Taken now; what was inherited counts, too.
std::int64_t OpenNow() {
  std::error_code error;
  std::int64_t count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end;
       !error && at != end; at.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace

Result<OpenFiles> SharesOf(std::int64_t limit, std::int64_t open,
                           std::size_t leases, bool embedded) {
  const std::int64_t reserved = Reserved(open, leases);
  // Each of our own connections to the embedded server has two ends here.
  const std::int64_t own_ends =
      embedded ? kEachLease * static_cast<std::int64_t>(leases) : 0;
  const std::int64_t needed = reserved + own_ends + kLeastLocal;
  if (limit < needed) {
    return Fail(ErrorCode::kUnavailable,
                "expected to be allowed at least " + std::to_string(needed) +
                    " open files, found a limit of " + std::to_string(limit) +
                    "; raise it (ulimit -n, LimitNOFILE= of systemd)");
  }
  const std::int64_t free = limit - reserved - own_ends;
  OpenFiles shares;
  if (embedded) {
    shares.embedded =
        own_ends + std::min((free - kLeastLocal) / 3, kMostEmbedded - own_ends);
  }
  const std::int64_t others = embedded ? shares.embedded - own_ends : 0;
  shares.local = std::min(free - others, kMostLocal);
  return shares;
}

Result<OpenFiles> ShareOpenFiles(std::size_t leases, bool embedded) {
  const std::int64_t open = OpenNow();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    limit.rlim_cur = limit.rlim_max = 1024;
  }
  const std::int64_t wanted =
      Reserved(open, leases) + kMostLocal + (embedded ? 2 * kMostEmbedded : 0);
  const rlim_t raised = std::min(limit.rlim_max, static_cast<rlim_t>(wanted));
  if (limit.rlim_cur < raised) {
    const rlimit higher{raised, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &higher) == 0) limit.rlim_cur = raised;
  }
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return SharesOf(limit.rlim_cur > rlim_t{kMost}
                      ? kMost
                      : static_cast<std::int64_t>(limit.rlim_cur),
                  open, leases, embedded);
}

Result<void> CheckFreeFiles(int wanted) {
  std::vector<int> opened;
  for (int i = 0; i < wanted; ++i) {
    const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0) break;
    opened.push_back(fd);
  }
  const int error = errno;
  for (const int fd : opened) ::close(fd);
  const int count = static_cast<int>(opened.size());
  if (count == wanted) return {};
  return Fail(ErrorCode::kUnavailable,
              "expected to open " + std::to_string(wanted) +
                  " more files, found that only " + std::to_string(count) +
                  " are free (" + std::generic_category().message(error) +
                  "); raise the limit (ulimit -n, LimitNOFILE= of systemd)");
}

}  // namespace tenure
