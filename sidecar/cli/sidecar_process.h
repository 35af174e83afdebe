// The sidecar: the object graph of `tenure run`, and its life.
//
// Thread safety: the main thread, which becomes the loop thread.
#ifndef TENURE_CLI_SIDECAR_PROCESS_H_
#define TENURE_CLI_SIDECAR_PROCESS_H_

#include <string>
#include <vector>

#include "sidecar/config/load_settings.h"
#include "sidecar/config/sidecar_plan.h"

namespace tenure {

// Runs until drained; the exit code. `notes` are logged once.
int RunSidecar(const SidecarPlan& plan, const Environment& environment);

}  // namespace tenure

#endif  // TENURE_CLI_SIDECAR_PROCESS_H_
