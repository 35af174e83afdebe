// ServerCore: what all connections of one EmbeddedServer share: the API, the
// faults, the open watches, the limits.
//
// Thread safety: the server's one thread.
// Invariants: a change reaches every open watch before the writer is answered.
#ifndef TENURE_EMBEDDED_SERVER_CORE_H_
#define TENURE_EMBEDDED_SERVER_CORE_H_

#include <cstdint>
#include <list>
#include <optional>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/fault_plan.h"
#include "sidecar/embedded/lease_api.h"

namespace tenure::embedded {

struct ServerLimits {
  std::size_t connections = 512;
  std::uint32_t header_bytes = 64U << 10U;
  std::uint64_t body_bytes = 3U << 20U;  // as kube-apiserver
  Duration idle = std::chrono::seconds(90);
  Duration bookmark_interval = kBookmarkInterval;
  std::size_t watch_queue_bytes = 4U << 20U;  // what a slow reader may owe
  LeaseTableLimits table = {};
};

// An open watch, as the core sees it.
class WatchSink {
 public:
  virtual ~WatchSink() = default;
  virtual void OnChange(const LeaseChange& change) = 0;
  virtual void OnThaw() = 0;
};

class ServerCore {
 public:
  ServerCore(const ServerLimits& limits, bool faults);
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  const ServerLimits& limits() const { return limits_; }

  // The fault that strikes this request, if faults are on.
  std::optional<Fault> TakeFault(const ApiRequest& request,
                                 const ApiRoute& route);
  bool Frozen(const FaultTarget& watch) const { return plan_.Frozen(watch); }

  // `fault` matters here only if it makes a read stale.
  LeaseApi::Answer Handle(const ApiRequest& request, const ApiRoute& route,
                          const std::optional<Fault>& fault);

  LeaseTable& table() { return api_.table(); }

  // The sink must be removed before it dies.
  using SinkHandle = std::list<WatchSink*>::iterator;
  SinkHandle AddWatch(WatchSink* sink);
  void RemoveWatch(SinkHandle handle) { watches_.erase(handle); }

  std::size_t connections() const { return connections_; }

 private:
  friend class ConnectionSlot;

  ServerLimits limits_;
  bool faults_;
  LeaseApi api_;
  FaultPlan plan_;
  std::list<WatchSink*> watches_;
  std::size_t connections_ = 0;
};

// One connection's place in the count, for as long as it lives.
class ConnectionSlot {
 public:
  explicit ConnectionSlot(ServerCore& core) : core_(&core) {
    ++core.connections_;
  }
  ConnectionSlot(ConnectionSlot&& other) noexcept : core_(other.core_) {
    other.core_ = nullptr;
  }
  ConnectionSlot& operator=(ConnectionSlot&&) = delete;
  ~ConnectionSlot() {
    if (core_ != nullptr) --core_->connections_;
  }

  ServerCore& core() const { return *core_; }

 private:
  ServerCore* core_;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_SERVER_CORE_H_
