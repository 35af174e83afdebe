#include "sidecar/telemetry/telemetry.h"

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/telemetry/line_writer.h"
#include "sidecar/telemetry/log_lines.h"
#include "sidecar/telemetry/metrics.h"

namespace tenure {
namespace {

// About a thousand lines; no memory is taken until they wait.
constexpr std::size_t kMaxWaitingBytes = 256 * 1024;

struct Saying {
  LogLevel level;
  const char* message;
};

Saying SayingOf(const Transition& transition) {
  switch (transition.kind) {
    case Transition::Kind::kAcquired:
      return {LogLevel::kInfo, "Acquired lease"};
    case Transition::Kind::kUncertain:
      return {LogLevel::kWarn, "Became uncertain"};
    case Transition::Kind::kCertain:
      return {LogLevel::kInfo, "Became certain"};
    case Transition::Kind::kLost:
      return {LogLevel::kWarn, "Lost lease"};
    case Transition::Kind::kReleasing:
      return {LogLevel::kInfo, "Ended term to release lease"};
    case Transition::Kind::kReleased:
      return {LogLevel::kInfo, "Released lease"};
    case Transition::Kind::kHolderObserved:
      return {LogLevel::kInfo, "Observed holder"};
    case Transition::Kind::kRefused:
      return {LogLevel::kWarn, "Could not acquire lease"};
    case Transition::Kind::kDraining:
      return {LogLevel::kInfo, "Started draining"};
    case Transition::Kind::kFinished:
      return {LogLevel::kInfo, "Finished draining"};
    case Transition::Kind::kWatchDenied:
      return {LogLevel::kWarn, "Could not watch lease, polls instead"};
  }
  return {LogLevel::kWarn, "Changed"};
}

std::string Number(std::int64_t value) {
  return value == 0 ? "" : std::to_string(value);
}

std::string Milliseconds(Duration value) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::milliseconds>(value).count());
}

// A lost race is how contenders live; everything else is worth a look.
bool IsOrdinary(RequestKind kind, ErrorCode code) {
  return (code == ErrorCode::kConflict && kind != RequestKind::kRenew) ||
         (code == ErrorCode::kNotFound && kind == RequestKind::kRead);
}

class LoggingTelemetry : public Telemetry {
 public:
  LoggingTelemetry(const TelemetryOptions& options, SnapshotBoard* board)
      : options_(options),
        board_(*board),
        metrics_(options, board),
        writer_(STDERR_FILENO, kMaxWaitingBytes),
        lines_(options.format, options.level, options.color,
               [this](std::string_view line) { writer_.Write(line); }) {
    for (std::size_t i = 0; i < board->leases().size(); ++i) {
      heard_[board->leases()[i]].index = i;
    }
  }

  void OnTransition(const std::string& lease, const Transition& transition,
                    const AuthoritySnapshot& snapshot,
                    const Moment& now) override {
    metrics_.CountTransition(lease, transition);
    const CertaintyAnswer answer = CertaintyAt(snapshot, now);
    const Saying saying = SayingOf(transition);
    std::string holder = transition.holder;
    if (transition.kind == Transition::Kind::kAcquired || snapshot.term) {
      holder = options_.identity;
    }
    std::string remaining;
    if (answer.certainty == Certainty::kHeld) {
      remaining = Milliseconds(answer.until_renew_by);
    }
    lines_.Log(saying.level, now.wall, saying.message,
               {{"lease", lease},
                {"namespace", options_.name_space},
                {"holderIdentity", holder},
                {"generation", Number(transition.generation)},
                {"state", CertaintyName(answer.certainty)},
                {"remainingMs", remaining},
                {"reason", transition.reason},
                {"err", transition.message}});
  }

  void OnRequest(const std::string& lease, RequestKind kind,
                 const std::optional<StoreError>& error,
                 Duration round_trip) override {
    metrics_.CountRequest(lease, kind, error, round_trip);
    const auto heard = heard_.find(lease);
    if (heard == heard_.end()) return;
    ErrorCode& before = heard->second.failing;
    if (kind == RequestKind::kRenew && !error)
      WatchMargin(lease, heard->second);
    if (!error || IsOrdinary(kind, error->code)) {
      if (before != kAnswering) {
        LogRequest(LogLevel::kInfo, "API server answered again", lease, kind,
                   round_trip, "", "");
      }
      before = kAnswering;
      LogRequest(LogLevel::kDebug, "API server answered", lease, kind,
                 round_trip, error ? ErrorCodeName(error->code) : "",
                 error ? error->message : "");
      return;
    }
    // The first of a row of failures, and where they change; the rest is in
    // the counters, and on the debug level.
    const LogLevel level =
        before == error->code ? LogLevel::kDebug : LogLevel::kWarn;
    before = error->code;
    LogRequest(level, "Request to API server failed", lease, kind, round_trip,
               ErrorCodeName(error->code), error->message);
  }

  void Log(LogLevel level, const char* message,
           std::initializer_list<Field> fields) override {
    lines_.Log(level, ReadClocks().wall, message, LogFields(fields));
  }

  std::string Render(const Moment& now, bool open_metrics,
                     std::size_t clients) override {
    return metrics_.Render(now, open_metrics, clients, writer_.Dropped());
  }

  void Flush(Duration limit) override { writer_.Flush(limit); }

 private:
  // No request ends in this code.
  static constexpr ErrorCode kAnswering = ErrorCode::kInternal;

  // What was last said of one lease.
  struct Heard {
    std::size_t index = 0;  // on the board
    ErrorCode failing = kAnswering;
    bool thin = false;
  };

  // Thin: a renewal that starts on time and takes the p99 pause and round trip
  // would be acknowledged after renew_by.
  void WatchMargin(const std::string& lease, Heard& heard) {
    const auto snapshot = board_.Read(heard.index);
    const Duration needed =
        std::chrono::seconds(snapshot->lease_duration_seconds) -
        snapshot->renew_deadline;
    const bool thin = snapshot->margin < needed;
    if (snapshot->round_trip_p99 == Duration{0} || thin == heard.thin) return;
    heard.thin = thin;
    Log(thin ? LogLevel::kWarn : LogLevel::kInfo,
        thin ? "Margin became thin" : "Margin recovered",
        {{"lease", lease},
         {"namespace", options_.name_space},
         {"marginMs", Milliseconds(snapshot->margin)},
         {"neededMs", Milliseconds(needed)},
         {"roundTripP99Ms", Milliseconds(snapshot->round_trip_p99)},
         {"renewIntervalMs", Milliseconds(snapshot->renew_interval)}});
  }

  void LogRequest(LogLevel level, const char* message, const std::string& lease,
                  RequestKind kind, Duration round_trip, const char* reason,
                  const std::string& err) {
    if (!lines_.Enabled(level)) return;  // most renewals
    lines_.Log(level, ReadClocks().wall, message,
               {{"lease", lease},
                {"namespace", options_.name_space},
                {"request", RequestKindName(kind)},
                {"durationMs", Milliseconds(round_trip)},
                {"reason", reason},
                {"err", err}});
  }

  const TelemetryOptions options_;
  const SnapshotBoard& board_;
  Metrics metrics_;
  LineWriter writer_;
  LogLines lines_;
  std::map<std::string, Heard> heard_;  // by lease; on the loop thread
};

}  // namespace

std::unique_ptr<Telemetry> Telemetry::New(const TelemetryOptions& options,
                                          SnapshotBoard* board) {
  return std::make_unique<LoggingTelemetry>(options, board);
}

}  // namespace tenure
