// The kubeconfig that `tenure dev` writes: it takes the place of one written
// by an earlier `tenure dev`, and of nothing else unless forced, for people
// keep the only copy of credentials in such files.
//
// Thread safety: pure functions, but for the files.
#ifndef TENURE_CLI_DEV_FILE_H_
#define TENURE_CLI_DEV_FILE_H_

#include <string>

#include "sidecar/base/error.h"

namespace tenure {

// Nothing is at `path`, or what an earlier `tenure dev` wrote, or `force` and a
// file. Error: kUnavailable, saying what to do.
Result<void> CheckReplaceable(const std::string& path, bool force);

// CheckReplaceable, then `text` under a first line of ours, 0600: a reader sees
// the whole of it or what was there before.
Result<void> WriteDevFile(const std::string& path, const std::string& text,
                          bool force);

}  // namespace tenure

#endif  // TENURE_CLI_DEV_FILE_H_
