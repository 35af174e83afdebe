// `tenure dev`: the embedded API server alone.
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/cli/dev_file.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/standard_output.h"
#include "sidecar/cli/termination.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/embedded/embedded_server.h"
#include "sidecar/server/port_owner.h"

namespace tenure {
namespace {

std::vector<FlagSpec> DevFlags() {
  return {
      {"port", 'p', "PORT", "Loopback port to serve on. 0: any free one.", "0"},
      {"kubeconfig-out", 0, "FILE",
       "Write a kubeconfig for kubectl and for sidecars here. A file that "
       "another program wrote is not replaced.",
       "none"},
      {"force", 0, "", "Replace whatever file --kubeconfig-out names.",
       "false"},
      {"faults", 0, "", "Serve POST /faults, the knobs for tests.", "false"},
  };
}

}  // namespace

int RunDev(const VerbCall& call) {
  const auto flags = TakeFlags(call, DevFlags(), &DevHelp, 0);
  if (!flags) return flags.error();
  const Result<std::uint16_t> port = FlagPort(*flags, "port", 0);
  if (!port) {
    PrintProblem(port.error().message);
    return kExitUsage;
  }
  const std::string path = FlagValue(*flags, "kubeconfig-out", "");
  const bool force = FlagIsOn(*flags, "force");
  const auto refuse = [](const Error& error) {
    PrintProblem("--kubeconfig-out: " + error.message);
    return kExitConfiguration;
  };
  // Before anything is served: nothing is known yet that would be lost.
  if (!path.empty()) {
    if (const auto ok = CheckReplaceable(path, force); !ok) {
      return refuse(ok.error());
    }
  }
  EmbeddedServerOptions options;
  options.port = *port;
  options.faults = FlagIsOn(*flags, "faults");
  options.port_owner = &PortOwner;
  auto server = EmbeddedServer::Open(options);
  if (!server) {
    PrintProblem(server.error().message);
    return kExitConfiguration;
  }
  boost::asio::io_context waiting;
  Termination termination;
  termination.Arm(waiting, [&waiting] { waiting.stop(); });
  (*server)->Start();
  if (!path.empty()) {
    const auto ok = WriteDevFile(path, (*server)->Kubeconfig(), force);
    if (!ok) return refuse(ok.error());
  }
  std::printf("http://127.0.0.1:%u\n", unsigned{(*server)->port()});
  // Without it nobody knows where it is.
  if (FlushOutput()) waiting.run();
  (*server)->Stop();
  return kExitOk;
}

VerbHelp DevHelp() {
  return HelpText(
      "dev [FLAGS]",
      "Serves coordination.k8s.io/v1 Leases from memory on loopback, as\n"
      "kube-apiserver does, until SIGTERM. The first line on stdout is its\n"
      "URL. Several sidecars can share one.\n",
      DevFlags(),
      "  tenure dev --port 8001 --kubeconfig-out /tmp/dev.yaml &\n"
      "  tenure run --kubeconfig /tmp/dev.yaml --lease billing\n");
}

}  // namespace tenure
