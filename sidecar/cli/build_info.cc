#include "sidecar/cli/build_info.h"

namespace tenure {

const char* BuildVersion() { return TENURE_VERSION; }
const char* BuildRevision() { return TENURE_REVISION; }

}  // namespace tenure
