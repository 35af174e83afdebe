// A file written whole: a reader sees all of it, or what was there before.
//
// Thread safety: any thread, for files of different names.
#ifndef TENURE_CLI_WHOLE_FILE_H_
#define TENURE_CLI_WHOLE_FILE_H_

#include <string>

#include "sidecar/base/error.h"

namespace tenure {

// Replaces a file of that name. Errors: kUnavailable if it cannot be written;
// nothing is left behind then.
Result<void> WriteWholeFile(const std::string& path, const std::string& text);

}  // namespace tenure

#endif  // TENURE_CLI_WHOLE_FILE_H_
