// `tenure dev`: the embedded API server alone.
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <ios>
#include <string>
#include <system_error>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/termination.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/embedded/embedded_server.h"

namespace tenure {
namespace {

std::vector<FlagSpec> DevFlags() {
  return {
      {"port", 'p', "PORT", "Loopback port to serve on. 0: any free one.", "0"},
      {"kubeconfig-out", 0, "FILE",
       "Write a kubeconfig for kubectl and for sidecars here.", "none"},
      {"faults", 0, "", "Serve POST /faults, the knobs for tests.", "false"},
  };
}

// Written beside it and renamed: a reader sees the whole of it or nothing.
Result<void> WriteWhole(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file || std::rename(beside.c_str(), path.c_str()) != 0) {
    return Fail(ErrorCode::kUnavailable,
                "--kubeconfig-out: expected to write " + path + ": " +
                    std::generic_category().message(errno));
  }
  return {};
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
  EmbeddedServerOptions options;
  options.port = *port;
  options.faults = FlagIsOn(*flags, "faults");
  auto server = EmbeddedServer::Open(options);
  if (!server) {
    PrintProblem(server.error().message);
    return kExitConfiguration;
  }
  boost::asio::io_context waiting;
  Termination termination;
  termination.Arm(waiting, [&waiting] { waiting.stop(); });
  (*server)->Start();
  const std::string path = FlagValue(*flags, "kubeconfig-out", "");
  if (!path.empty()) {
    if (const auto ok = WriteWhole(path, (*server)->Kubeconfig()); !ok) {
      PrintProblem(ok.error().message);
      return kExitConfiguration;
    }
  }
  std::printf("http://127.0.0.1:%u\n", unsigned{(*server)->port()});
  std::fflush(stdout);
  waiting.run();
  (*server)->Stop();
  return kExitOk;
}

std::string DevHelp() {
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
