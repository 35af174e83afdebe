// Telemetry: one recorder that makes each transition a log line and a counter,
// and the metrics text.
//
// Thread safety: the Recorder side on the loop thread; Render and Log from any
// thread.
#ifndef TENURE_TELEMETRY_TELEMETRY_H_
#define TENURE_TELEMETRY_TELEMETRY_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "sidecar/base/instant.h"
#include "sidecar/coordinator/recorder.h"
#include "sidecar/coordinator/snapshot_board.h"

namespace tenure {

enum class LogFormat { kJson, kText };
enum class LogLevel { kDebug, kInfo, kWarn, kError };

struct TelemetryOptions {
  LogFormat format = LogFormat::kJson;
  LogLevel level = LogLevel::kInfo;
  bool color = false;  // of kText
  std::string name_space;
  std::string identity;
  std::string version;           // of tenure_build_info
  std::string revision;          // of tenure_build_info
  bool client_go_alias = false;  // leader_election_master_status
};

class Telemetry : public Recorder {
 public:
  using Field = std::pair<const char*, std::string>;

  // Logs go to stderr through a bounded queue: a reader of stderr that stops
  // reading loses lines (counted), never holds up a renewal (S13).
  static std::unique_ptr<Telemetry> New(const TelemetryOptions& options,
                                        SnapshotBoard* board);

  // One line: constant past-tense message, keys and values.
  virtual void Log(LogLevel level, const char* message,
                   std::initializer_list<Field> fields) = 0;

  // Prometheus text 0.0.4, or OpenMetrics 1.0.0. Gauges of authority are
  // computed from the board at `now`, like every answer (S1).
  // `clients`: connections to the local surface.
  virtual std::string Render(const Moment& now, bool open_metrics,
                             std::size_t clients) = 0;

  // Writes what waits; at most `limit` long. For exits.
  virtual void Flush(Duration limit) = 0;
};

}  // namespace tenure

#endif  // TENURE_TELEMETRY_TELEMETRY_H_
