// EmbeddedServer: an in-memory API server for Leases, plain HTTP on loopback,
// so that the main job runs on a laptop with no cluster. Behaves as
// kube-apiserver 1.37 does for coordination.k8s.io/v1 Leases; the contract
// suite runs on both, and where they differ the real one is right.
//
// Thread safety: one thread of its own; methods from any thread.
#ifndef TENURE_EMBEDDED_EMBEDDED_SERVER_H_
#define TENURE_EMBEDDED_EMBEDDED_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sidecar/base/error.h"

namespace tenure {

struct EmbeddedServerOptions {
  std::string address = "127.0.0.1";  // or "::1"
  std::uint16_t port = 0;             // 0: any free one
  std::size_t max_connections = 512;
  // Serve POST /faults, the knobs for tests (docs/embedded.md).
  bool faults = false;
  // For the refusal of a port that is taken: the flag that names it, and who
  // has it, "" if unknown.
  std::string port_flag = "--port";
  std::function<std::string(std::uint16_t)> port_owner = nullptr;
};

class EmbeddedServer {
 public:
  static Result<std::unique_ptr<EmbeddedServer>> Open(
      const EmbeddedServerOptions& options);
  virtual ~EmbeddedServer() = default;

  virtual void Start() = 0;
  virtual void Stop() = 0;
  virtual std::uint16_t port() const = 0;
  // A kubeconfig for kubectl and for other sidecars.
  virtual std::string Kubeconfig() const = 0;
};

}  // namespace tenure

#endif  // TENURE_EMBEDDED_EMBEDDED_SERVER_H_
