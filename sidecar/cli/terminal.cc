#include "sidecar/cli/terminal.h"

#include <unistd.h>

#include <string>

#include "sidecar/config/load_settings.h"
#include "sidecar/config/settings.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {
bool StderrIsTerminal() { return isatty(STDERR_FILENO) == 1; }

LogFormat ChooseFormat(const Settings& settings, bool terminal) {
  if (settings.log_format == "text") return LogFormat::kText;
  if (settings.log_format == "json") return LogFormat::kJson;
  return terminal ? LogFormat::kText : LogFormat::kJson;
}

bool ChooseColor(const Settings& settings, const Environment& environment,
                 bool terminal) {
  if (settings.color == "always") return true;
  if (settings.color == "never") return false;
  return terminal && Variable(environment, "NO_COLOR").empty() &&
         Variable(environment, "TERM") != "dumb";
}

LogLevel ChooseLevel(const Settings& settings) {
  if (settings.log_level == "debug") return LogLevel::kDebug;
  if (settings.log_level == "warn") return LogLevel::kWarn;
  if (settings.log_level == "error") return LogLevel::kError;
  return LogLevel::kInfo;
}

}  // namespace tenure
