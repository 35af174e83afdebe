// LocalServer: the local surface. Status (Unix socket and loopback TCP),
// control (Unix socket) and probe (pod address) listeners on one thread of
// their own, so that they answer while the loop thread is stuck; every answer
// is computed from the board at reply time (S1).
//
// Thread safety: Open, Start and Stop from one thread.
#ifndef TENURE_SERVER_LOCAL_SERVER_H_
#define TENURE_SERVER_LOCAL_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sidecar/authority/lease_set.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/coordinator/control_port.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/server/limits.h"

namespace tenure {

enum class ReadinessPolicy { kCertain, kHolder };

// Who asked for what on the control socket, for a log. The ids are those the
// kernel saw at connect(); pid 0 across pid namespaces.
struct ControlCall {
  std::string route;  // "work", "done", "release", "floor"
  std::string lease;
  std::int64_t generation = 0;  // the floor, for "floor"
  int status = 0;               // what was answered
  std::int64_t pid = 0;
  std::int64_t uid = -1;
  std::int64_t gid = -1;
};

struct LocalServerOptions {
  std::string name_space;
  std::string status_socket;         // path; "" for none. Mode 0666
  bool status_tcp = true;            // 127.0.0.1 and [::1]
  std::uint16_t status_port = 7421;  // 0: any free one
  std::string control_socket;        // path; "" for none
  unsigned control_mode = 0660;
  std::string control_group;        // name or number; "" leaves it
  bool probe = true;                // [::], or 0.0.0.0 where IPv6 is off
  std::uint16_t probe_port = 7422;  // 0: any free one
  ReadinessPolicy readiness = ReadinessPolicy::kCertain;
  LeaseSetPolicy lease_set = LeaseSetPolicy::kAll;
  int max_connections = 256;  // on each listener
  // On all of them together: each gets an equal part, so that no crowd of
  // readers shuts out the probes, and the rest of the process keeps the
  // descriptors it needs to renew (S13).
  int max_all_connections = 5 * 256;
  ServerWaits waits;
  // Called on the server's thread, once for each listener and reason, when it
  // first turns readers away or they cannot find it any more; may be empty.
  // Must not block.
  std::function<void(const std::string& why)> on_refusal;
  // Called on the server's thread after each control request; may be empty.
  // Must not block.
  std::function<void(const ControlCall&)> on_control;
};

class LocalServer {
 public:
  // Binds everything or nothing. Errors name the socket or port, who has it
  // where that can be known, and the flag that moves it.
  static Result<std::unique_ptr<LocalServer>> Open(
      const LocalServerOptions& options, SnapshotBoard* board,
      ControlPort* control, std::function<Moment()> now,
      std::function<std::string(const Moment&, bool open_metrics)> metrics);

  virtual ~LocalServer() = default;

  // Starts its thread, with every signal blocked. Error: kUnavailable.
  virtual Result<void> Start() = 0;
  virtual void Stop() = 0;  // closes everything, joins, unlinks its sockets

  // Open now. Only from inside the metrics callback, which the server's own
  // thread calls.
  virtual std::size_t connections() const = 0;

  // The ports really bound.
  virtual std::uint16_t status_port() const = 0;
  virtual std::uint16_t probe_port() const = 0;
};

}  // namespace tenure

#endif  // TENURE_SERVER_LOCAL_SERVER_H_
