// local_server_bench: the local surface alone, over a lease that stays held for
// an hour, for http_load to ask.
//
//   local_server_bench SOCKET    prints its port; ends when stdin does
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/coordinator/control_port.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/server/local_server.h"

namespace {

class NoLoop : public tenure::ControlPort {
 public:
  void Submit(const tenure::ControlRequest&, Done) override {}
};

}  // namespace

int main(int argc, char** argv) {
  tenure::SnapshotBoard board({"demo"});
  NoLoop control;
  tenure::LocalServerOptions options;
  options.status_port = 0;
  options.probe_port = 0;
  if (argc > 1) options.status_socket = argv[1];
  auto server = tenure::LocalServer::Open(
      options, &board, &control, tenure::ReadClocks,
      [](const tenure::Moment&, bool) { return std::string(); });
  const tenure::Result<void> started =
      server ? (*server)->Start() : std::unexpected(server.error());
  if (!started) {
    std::fprintf(stderr, "%s\n", started.error().message.c_str());
    return 1;
  }
  auto snapshot = std::make_shared<tenure::AuthoritySnapshot>();
  snapshot->settled = true;
  snapshot->term =
      tenure::TermSnapshot{123'456, tenure::ReadClocks(), std::chrono::hours(1),
                           std::chrono::hours(2), false};
  board.Publish(0, std::move(snapshot));
  std::printf("%d\n", (*server)->status_port());
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}
