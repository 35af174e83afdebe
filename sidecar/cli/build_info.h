// Which build this is.
#ifndef TENURE_CLI_BUILD_INFO_H_
#define TENURE_CLI_BUILD_INFO_H_

namespace tenure {

const char* BuildVersion();   // "0.1.0"
const char* BuildRevision();  // of the source, or "unknown"

}  // namespace tenure

#endif  // TENURE_CLI_BUILD_INFO_H_
