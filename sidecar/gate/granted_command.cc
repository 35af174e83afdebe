#include "sidecar/gate/granted_command.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "sidecar/base/check.h"
#include "sidecar/gate/generation_variable.h"

namespace tenure {

Command GrantedCommand(const GateOptions& options, const Report& state,
                       const Report& grant, Duration time_left) {
  const std::string generation = std::to_string(grant.generation);
  Command command;
  command.words = options.command;
  if (options.timeout_word != 0 && time_left != Duration::max()) {
    CHECK(options.timeout_word < command.words.size());
    // 0 would be no limit.
    const std::int64_t ms = std::max<std::int64_t>(
        std::chrono::floor<std::chrono::milliseconds>(time_left).count(), 1);
    command.words[options.timeout_word] =
        "--timeout=" + std::to_string(ms) + "ms";
  }
  command.signals = options.signals;
  command.environment = {{"TENURE_LEASE", state.lease},
                         {"TENURE_GENERATION", generation},
                         {GenerationVariable(state.lease), generation},
                         {"TENURE_HOLDER", state.identity}};
  if (!options.run_id.empty()) {
    command.environment.emplace_back("TENURE_RUN_ID", options.run_id);
  }
  if (!options.status_socket.empty()) {
    command.environment.emplace_back("TENURE_SOCKET", options.status_socket);
  }
  return command;
}

}  // namespace tenure
