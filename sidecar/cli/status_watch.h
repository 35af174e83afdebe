// `tenure status --watch`: each answer as it changes; on a terminal one view
// that is drawn anew in its place. `tenure generation --watch`: the generation
// as it changes.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_STATUS_WATCH_H_
#define TENURE_CLI_STATUS_WATCH_H_

#include <optional>
#include <string>

#include "sidecar/base/instant.h"
#include "sidecar/cli/live_view.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/output_format.h"
#include "sidecar/config/load_settings.h"

namespace tenure {

// How stdout is drawn on; none: it is no terminal, or one that takes lines
// only.
std::optional<ViewStyle> TerminalStyle(const Environment& environment);

// Until a signal ends the process, or the sidecar is gone: the exit code then.
// `query`: "" or "?lease=NAME"; `first_limit`: for the first answer.
int WatchStatus(const LocalAddress& address, const std::string& query,
                OutputFormat format, Duration first_limit,
                const Environment& environment);

// Until a signal, as above. As text a line for each change: the generation, or
// standby, or uncertain, that also when what was answered has run out (S1).
int WatchGeneration(const LocalAddress& address, const std::string& query,
                    OutputFormat format, Duration first_limit);

}  // namespace tenure

#endif  // TENURE_CLI_STATUS_WATCH_H_
