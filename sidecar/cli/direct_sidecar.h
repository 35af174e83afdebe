// DirectSidecar: a sidecar of one command's own, as a child process with
// sockets in a folder that nobody else opens: `tenure exec --direct`.
//
// Thread safety: the main thread, before any other exists: it forks.
#ifndef TENURE_CLI_DIRECT_SIDECAR_H_
#define TENURE_CLI_DIRECT_SIDECAR_H_

#include <sys/types.h>

#include <expected>
#include <string>

#include "sidecar/config/flag_parser.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/gate/signals.h"

namespace tenure {

struct DirectSidecar {
  pid_t pid = 0;
  std::string folder;
  std::string status_socket;
  std::string control_socket;
};

// `flags` may hold any of SettingFlags(). The child dies with this process,
// and leaves its lease to expire then. Or the exit code; it was said why.
std::expected<DirectSidecar, int> StartDirectSidecar(
    const ParsedFlags& flags, const Environment& environment,
    const SignalState& signals);

// After its end.
void RemoveFolder(const DirectSidecar& sidecar);

}  // namespace tenure

#endif  // TENURE_CLI_DIRECT_SIDECAR_H_
