// Metrics: counters of what happened, and gauges computed from the board.
//
// Thread safety: the Count methods on the loop thread; Render from any.
// Invariants: every series exists, at zero, before the first event.
#ifndef TENURE_TELEMETRY_METRICS_H_
#define TENURE_TELEMETRY_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sidecar/authority/output.h"
#include "sidecar/coordinator/recorder.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {

class Metrics {
 public:
  // `board` must outlive it.
  Metrics(const TelemetryOptions& options, SnapshotBoard* board);
  ~Metrics();

  // `lease` is one of the board's; others are not counted.
  void CountTransition(const std::string& lease, const Transition& transition);
  void CountRequest(const std::string& lease, RequestKind kind,
                    const std::optional<StoreError>& error,
                    Duration round_trip);

  // `clients`: connections to the local surface.
  std::string Render(const Moment& now, bool open_metrics, std::size_t clients,
                     std::uint64_t log_lines_dropped) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure

#endif  // TENURE_TELEMETRY_METRICS_H_
