#include "sidecar/cli/default_sockets.h"

#include <string>
#include <utility>

#include "sidecar/config/host_facts.h"
#include "sidecar/config/sidecar_plan.h"

namespace tenure {
namespace {

Result<SidecarPlan> UsualPlan(const Environment& environment,
                              const std::string& wish) {
  LoadedSettings loaded;
  loaded.settings.lease = {"any"};
  loaded.settings.status_tcp = false;
  auto plan = MakePlan(loaded, ReadHostFacts(environment));
  if (plan) return *std::move(plan);
  const bool unset = Variable(environment, "XDG_RUNTIME_DIR").empty();
  return Fail(ErrorCode::kInvalidArgument,
              "expected " + wish +
                  (unset ? ", or the XDG_RUNTIME_DIR that the sidecar was "
                           "started with; found that unset, so there is no "
                           "usual place for the socket"
                         : ": XDG_RUNTIME_DIR is too long for the path of a "
                           "socket, of at most 107 bytes"));
}

}  // namespace

Result<std::string> DefaultStatusSocket(const Environment& environment) {
  for (const char* name : {"TENURE_SOCKET", "TENURE_STATUS_SOCKET"}) {
    if (std::string path = Variable(environment, name); !path.empty()) {
      return path;
    }
  }
  const auto plan = UsualPlan(environment, "--socket, --port or TENURE_SOCKET");
  if (!plan) return std::unexpected(plan.error());
  return plan->status_socket;
}

Result<std::string> DefaultControlSocket(const Environment& environment) {
  if (std::string path = Variable(environment, "TENURE_CONTROL_SOCKET");
      !path.empty()) {
    return path;
  }
  const auto plan =
      UsualPlan(environment, "--control-socket or TENURE_CONTROL_SOCKET");
  if (!plan) return std::unexpected(plan.error());
  return plan->control_socket;
}

}  // namespace tenure
