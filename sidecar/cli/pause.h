// Waiting a while before asking again.
//
// Thread safety: any thread.
#ifndef TENURE_CLI_PAUSE_H_
#define TENURE_CLI_PAUSE_H_

#include "sidecar/base/instant.h"

namespace tenure {

void Pause(Duration length);

}  // namespace tenure

#endif  // TENURE_CLI_PAUSE_H_
