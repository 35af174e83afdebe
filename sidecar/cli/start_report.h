// What a starting sidecar says of itself: the effective times with the margin
// arithmetic, where it listens, and how to read the generation.
//
// Thread safety: the main thread only.
#ifndef TENURE_CLI_START_REPORT_H_
#define TENURE_CLI_START_REPORT_H_

#include <cstdint>
#include <string>

#include "sidecar/config/sidecar_plan.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {

struct StartFacts {
  const SidecarPlan& plan;
  std::string name_space;
  std::string identity;
  std::string api_server;
  bool embedded = false;
  std::uint16_t status_port = 0;  // 0: not served
  std::uint16_t probe_port = 0;   // 0: not served
};

// The command that reads the generation; empty if nothing serves it.
std::string CurlLine(const StartFacts& facts);

// For a person at a terminal, several lines.
std::string StartText(const StartFacts& facts);

// The same as log lines.
void LogStart(const StartFacts& facts, Telemetry* telemetry);

}  // namespace tenure

#endif  // TENURE_CLI_START_REPORT_H_
