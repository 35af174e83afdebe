// A file written whole: a reader sees all of it, or what was there before.
//
// Thread safety: any thread, for files of different names.
#ifndef TENURE_CLI_WHOLE_FILE_H_
#define TENURE_CLI_WHOLE_FILE_H_

#include <string>

#include "sidecar/base/error.h"

namespace tenure {

enum class ExistingFile { kRefuse, kReplace };

// Errors: kConflict if `path` exists and is not to be replaced; kUnavailable
// if it cannot be written. Nothing is left behind then.
Result<void> WriteWholeFile(const std::string& path, const std::string& text,
                            ExistingFile existing);

}  // namespace tenure

#endif  // TENURE_CLI_WHOLE_FILE_H_
