#include "sidecar/cli/direct_sidecar.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <string>
#include <system_error>

#include "sidecar/authority/lease_set.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/sidecar_process.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/host_facts.h"
#include "sidecar/config/sidecar_plan.h"
#include "sidecar/gate/exit_codes.h"

namespace tenure {
namespace {

std::unexpected<int> Refuse(const Problems& problems) {
  for (const std::string& problem : problems) PrintProblem(problem);
  return std::unexpected(kExitConfiguration);
}

// Unix sockets need a folder that can be written; a container's root may not
// be.
std::string MakeFolder(const Environment& environment) {
  std::string base = Variable(environment, "TMPDIR");
  if (base.empty()) base = Variable(environment, "XDG_RUNTIME_DIR");
  if (base.empty()) base = "/tmp";
  std::string pattern = base + "/tenure-XXXXXX";
  if (::mkdtemp(pattern.data()) != nullptr) return pattern;
  PrintProblem("expected to make a folder for sockets in " + base +
               ", found: " + std::generic_category().message(errno) +
               "; set TMPDIR to one that can be written");
  return "";
}

[[noreturn]] void BecomeSidecar(const SidecarPlan& plan,
                                const Environment& environment,
                                const SignalState& signals, pid_t parent) {
  // Ctrl-C on a terminal is for the command, and for us when that has ended.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExitConfiguration);
  GiveSignalsBack(signals);
  const int code = RunSidecar(plan, environment);
  std::fflush(stderr);
  ::_exit(code);
}

}  // namespace

std::expected<DirectSidecar, int> StartDirectSidecar(
    const ParsedFlags& flags, const Environment& environment,
    const SignalState& signals) {
  auto loaded = LoadSettings(flags, environment);
  DirectSidecar sidecar;
  sidecar.folder = MakeFolder(environment);
  if (sidecar.folder.empty()) return std::unexpected(kExitConfiguration);
  sidecar.status_socket = sidecar.folder + "/status.sock";
  sidecar.control_socket = sidecar.folder + "/control.sock";
  Settings& settings = loaded.settings;
  settings.status_socket = sidecar.status_socket;
  settings.control_socket = sidecar.control_socket;
  settings.control_socket_mode.bits = 0600;
  settings.control_socket_group.clear();
  // Ports are for one sidecar of a pod; commands can be many.
  settings.status_tcp = false;
  settings.probe = false;
  if (!loaded.origins.contains("log-level")) settings.log_level = "warn";
  const auto plan = MakePlan(loaded, ReadHostFacts(environment));
  if (!plan) {
    RemoveFolder(sidecar);
    return Refuse(plan.error());
  }
  if (plan->leases.size() > 1 && plan->policy == LeaseSetPolicy::kAll) {
    RemoveFolder(sidecar);
    return Refuse({"lease: expected one with --direct, found " +
                   std::to_string(plan->leases.size()) +
                   " in the file; name each by --lease"});
  }
  const pid_t parent = ::getpid();
  sidecar.pid = ::fork();
  if (sidecar.pid == 0) {
    BecomeSidecar(*plan, environment, signals, parent);
  }
  if (sidecar.pid < 0) {
    PrintProblem("expected to start a process, found: " +
                 std::generic_category().message(errno));
    RemoveFolder(sidecar);
    return std::unexpected(kGateOwnFailure);
  }
  return sidecar;
}

void RemoveFolder(const DirectSidecar& sidecar) {
  // Left by a sidecar that was killed.
  ::unlink(sidecar.status_socket.c_str());
  ::unlink(sidecar.control_socket.c_str());
  ::rmdir(sidecar.folder.c_str());
}

}  // namespace tenure
