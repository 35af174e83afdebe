// OpenFiles: how the process's file descriptors are shared, so that no crowd
// of readers leaves the renewals without one (S13).
//
// Thread safety: SharesOf is pure; the others before other threads start.
#ifndef TENURE_CLI_OPEN_FILES_H_
#define TENURE_CLI_OPEN_FILES_H_

#include <cstddef>
#include <cstdint>

#include "sidecar/base/error.h"

namespace tenure {

struct OpenFiles {
  std::int64_t local = 0;     // connections to the local server, all listeners
  std::int64_t embedded = 0;  // connections to the embedded server
};

// Of `limit` descriptors, `open` of which are taken. Error: kUnavailable where
// they are too few to hold a lease and to answer the probes.
Result<OpenFiles> SharesOf(std::int64_t limit, std::int64_t open,
                           std::size_t leases, bool embedded);

// Raises the soft limit as far as it is needed and the hard one allows, then
// SharesOf what there is.
Result<OpenFiles> ShareOpenFiles(std::size_t leases, bool embedded);

// Whether `wanted` more can be opened now. Error: kUnavailable.
Result<void> CheckFreeFiles(int wanted);

}  // namespace tenure

#endif  // TENURE_CLI_OPEN_FILES_H_
