#include "sidecar/telemetry/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/telemetry/board_gauges.h"
#include "sidecar/telemetry/open_metrics.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {
namespace {

using prometheus::BuildCounter;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;
using prometheus::Labels;

constexpr std::array<const char*, 11> kLostReasons{
    "expired",    "conflict", "deleted", "recreated", "emptied", "copied",
    "generation", "floor",    "clock",   "released",  "other"};

constexpr std::array<const char*, 7> kFailureReasons{
    "conflict", "429", "auth", "network", "unknown", "refused", "other"};

constexpr std::array<Transition::Kind, 11> kTransitions{
    Transition::Kind::kAcquired,       Transition::Kind::kUncertain,
    Transition::Kind::kCertain,        Transition::Kind::kLost,
    Transition::Kind::kReleasing,      Transition::Kind::kReleased,
    Transition::Kind::kHolderObserved, Transition::Kind::kRefused,
    Transition::Kind::kDraining,       Transition::Kind::kFinished,
    Transition::Kind::kWatchDenied};

constexpr std::array<RequestKind, 5> kRequests{
    RequestKind::kRead, RequestKind::kCreate, RequestKind::kAcquire,
    RequestKind::kRenew, RequestKind::kRelease};

// What the transport can tell: after a time-out, a 5xx or a broken connection
// the outcome is unknown (S5), and it is counted as that.
const char* FailureReason(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kThrottled:
      return "429";
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kForbidden:
      return "auth";
    case ErrorCode::kNotSent:
      return "network";
    case ErrorCode::kOutcomeUnknown:
      return "unknown";
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kUnavailable:
    case ErrorCode::kDeadlineExceeded:
    case ErrorCode::kInternal:
      return "other";
  }
  return "other";
}

template <std::size_t kSize>
std::size_t IndexOf(const std::array<const char*, kSize>& names,
                    std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? kSize - 1
                              : static_cast<std::size_t>(found - names.begin());
}

Histogram::BucketBoundaries DurationBuckets() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,  0.5,    1,     2.5,  5,     10,   30};
}

// The series of one lease.
struct LeaseSeries {
  Counter* acquisitions = nullptr;
  Counter* renew_attempts = nullptr;
  Counter* retry_after = nullptr;
  Histogram* renew_duration = nullptr;
  std::array<Counter*, kLostReasons.size()> lost{};
  std::array<Counter*, kFailureReasons.size()> renew_failures{};
  std::array<Counter*, kTransitions.size()> transitions{};
  std::array<Counter*, kRequests.size()> requests{};
};

}  // namespace

class Metrics::State {
 public:
  State(const TelemetryOptions& options, SnapshotBoard* board)
      : board_(*board), client_go_alias_(options.client_go_alias) {
    prometheus::BuildGauge()
        .Name("tenure_build_info")
        .Help("Version and revision of this binary.")
        .Register(registry_)
        .Add({{"version", options.version}, {"revision", options.revision}})
        .Set(1);
    for (const std::string& lease : board->leases()) series_[lease];
    AddCounters();
    auto& durations = prometheus::BuildHistogram()
                          .Name("tenure_renew_duration_seconds")
                          .Help("Round trips of renewals.")
                          .Register(registry_);
    for (auto& [lease, series] : series_) {
      series.renew_duration =
          &durations.Add({{"lease", lease}}, DurationBuckets());
    }
  }

  LeaseSeries* Find(const std::string& lease) {
    const auto found = series_.find(lease);
    return found == series_.end() ? nullptr : &found->second;
  }

  std::string Render(const Moment& now, bool open_metrics, std::size_t clients,
                     std::uint64_t dropped) const {
    std::vector<prometheus::MetricFamily> families = registry_.Collect();
    const auto append =
        [&families](std::vector<prometheus::MetricFamily> more) {
          std::move(more.begin(), more.end(), std::back_inserter(families));
        };
    append(BoardGauges(board_, now, client_go_alias_));
    append(ProcessGauges());
    prometheus::MetricFamily lines;
    lines.name = "tenure_log_lines_dropped_total";
    lines.help = "Log lines lost because nobody read stderr fast enough.";
    lines.type = prometheus::MetricType::Counter;
    lines.metric.emplace_back().counter.value = static_cast<double>(dropped);
    families.push_back(std::move(lines));
    prometheus::MetricFamily connected;
    connected.name = "tenure_clients_connected";
    connected.help = "Connections to the local surface, this one included.";
    connected.type = prometheus::MetricType::Gauge;
    connected.metric.emplace_back().gauge.value = static_cast<double>(clients);
    families.push_back(std::move(connected));

    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families);
    return open_metrics ? ToOpenMetrics(out.str()) : out.str();
  }

 private:
  Family<Counter>& NewFamily(const char* name, const char* help) {
    return BuildCounter().Name(name).Help(help).Register(registry_);
  }

  void AddCounters() {
    auto& acquisitions = NewFamily("tenure_lease_acquisitions_total",
                                   "Terms begun by this process.");
    auto& lost = NewFamily("tenure_authority_lost_total",
                           "Terms ended, by what ended them.");
    auto& attempts = NewFamily("tenure_renew_attempts_total", "Renewals sent.");
    auto& failures =
        NewFamily("tenure_renew_failures_total",
                  "Renewals not acknowledged; unknown: a time-out, a broken "
                  "connection or a 5xx, settled by a read.");
    auto& retry_after =
        NewFamily("tenure_api_retry_after_total",
                  "Answers by which the API server asked to wait.");
    auto& transitions =
        NewFamily("tenure_transitions_total",
                  "Transitions of authority; each is one log line as well.");
    auto& requests = NewFamily("tenure_api_requests_total",
                               "Requests for the Lease, by kind.");
    for (auto& [lease, series] : series_) {
      const Labels labels{{"lease", lease}};
      const auto with = [&labels](const char* key, const char* value) {
        Labels more = labels;
        more[key] = value;
        return more;
      };
      series.acquisitions = &acquisitions.Add(labels);
      series.renew_attempts = &attempts.Add(labels);
      series.retry_after = &retry_after.Add(labels);
      for (std::size_t i = 0; i < kLostReasons.size(); ++i) {
        series.lost[i] = &lost.Add(with("reason", kLostReasons[i]));
      }
      for (std::size_t i = 0; i < kFailureReasons.size(); ++i) {
        series.renew_failures[i] =
            &failures.Add(with("reason", kFailureReasons[i]));
      }
      for (std::size_t i = 0; i < kTransitions.size(); ++i) {
        series.transitions[i] = &transitions.Add(
            with("transition", TransitionKindName(kTransitions[i])));
      }
      for (std::size_t i = 0; i < kRequests.size(); ++i) {
        series.requests[i] =
            &requests.Add(with("request", RequestKindName(kRequests[i])));
      }
    }
  }

  const SnapshotBoard& board_;
  const bool client_go_alias_;
  prometheus::Registry registry_;
  std::map<std::string, LeaseSeries> series_;
};

Metrics::Metrics(const TelemetryOptions& options, SnapshotBoard* board)
    : state_(std::make_unique<State>(options, board)) {}

Metrics::~Metrics() = default;

void Metrics::CountTransition(const std::string& lease,
                              const Transition& transition) {
  LeaseSeries* series = state_->Find(lease);
  if (series == nullptr) return;
  for (std::size_t i = 0; i < kTransitions.size(); ++i) {
    if (kTransitions[i] == transition.kind) {
      series->transitions[i]->Increment();
    }
  }
  if (transition.kind == Transition::Kind::kAcquired) {
    series->acquisitions->Increment();
  } else if (transition.kind == Transition::Kind::kLost) {
    series->lost[IndexOf(kLostReasons, transition.reason)]->Increment();
  } else if (transition.kind == Transition::Kind::kReleasing) {
    series->lost[IndexOf(kLostReasons, "released")]->Increment();
  }
}

void Metrics::CountRequest(const std::string& lease, RequestKind kind,
                           const std::optional<StoreError>& error,
                           Duration round_trip) {
  LeaseSeries* series = state_->Find(lease);
  if (series == nullptr) return;
  for (std::size_t i = 0; i < kRequests.size(); ++i) {
    if (kRequests[i] == kind) series->requests[i]->Increment();
  }
  if (error && error->retry_after > Duration{0}) {
    series->retry_after->Increment();
  }
  if (kind != RequestKind::kRenew) return;
  series->renew_attempts->Increment();
  series->renew_duration->Observe(
      std::chrono::duration<double>(round_trip).count());
  if (error) {
    series->renew_failures[IndexOf(kFailureReasons, FailureReason(error->code))]
        ->Increment();
  }
}

std::string Metrics::Render(const Moment& now, bool open_metrics,
                            std::size_t clients,
                            std::uint64_t log_lines_dropped) const {
  return state_->Render(now, open_metrics, clients, log_lines_dropped);
}

}  // namespace tenure
