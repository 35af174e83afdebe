// How to write to stderr: as JSON or as text, with or without colour.
//
// Thread safety: pure, but for asking whether stderr is a terminal.
#ifndef TENURE_CLI_TERMINAL_H_
#define TENURE_CLI_TERMINAL_H_

#include "sidecar/config/load_settings.h"
#include "sidecar/config/settings.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {

bool StderrIsTerminal();

LogFormat ChooseFormat(const Settings& settings, bool terminal);

// NO_COLOR (https://no-color.org) and TERM=dumb count unless overruled.
bool ChooseColor(const Settings& settings, const Environment& environment,
                 bool terminal);

LogLevel ChooseLevel(const Settings& settings);

}  // namespace tenure

#endif  // TENURE_CLI_TERMINAL_H_
