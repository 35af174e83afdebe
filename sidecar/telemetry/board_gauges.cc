#include "sidecar/telemetry/board_gauges.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/base/instant.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/telemetry/process_stats.h"

namespace tenure {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

double Seconds(Duration value) {
  return std::chrono::duration<double>(value).count();
}

double Seconds(WallTime value) {
  return std::chrono::duration<double>(value.since_epoch).count();
}

ClientMetric Sample(std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = value;
  return metric;
}

struct Reading {
  const AuthoritySnapshot& snapshot;
  CertaintyAnswer answer;
};

struct Gauge {
  const char* name;
  const char* help;
  double (*value)(const Reading&);
};

// One series for each lease.
constexpr Gauge kGauges[] = {
    {"tenure_lease_held", "1 while the lease is held, as answered now.",
     [](const Reading& r) {
       return r.answer.certainty == Certainty::kHeld ? 1.0 : 0.0;
     }},
    {"tenure_lease_generation",
     "Highest generation of the lease this process has witnessed.",
     [](const Reading& r) {
       return static_cast<double>(r.snapshot.highest_generation);
     }},
    {"tenure_last_renew_timestamp_seconds",
     "Wall time of the last acknowledged renewal, from before it was sent; 0 "
     "before the first.",
     [](const Reading& r) { return Seconds(r.snapshot.last_renewal); }},
    {"tenure_authority_expires_timestamp_seconds",
     "Wall time at which the claim of the present term ends; 0 outside one.",
     [](const Reading& r) {
       const auto& term = r.snapshot.term;
       return term ? Seconds(term->sent.wall) + Seconds(term->valid_for) : 0.0;
     }},
    {"tenure_authority_margin_seconds",
     "Lease duration less renew interval, p99 pause and p99 round trip.",
     [](const Reading& r) { return Seconds(r.snapshot.margin); }},
    {"tenure_api_round_trip_p99_seconds",
     "p99 round trip of the last requests to the API server.",
     [](const Reading& r) { return Seconds(r.snapshot.round_trip_p99); }},
    {"tenure_renew_interval_seconds", "Renew interval as tuned now.",
     [](const Reading& r) { return Seconds(r.snapshot.renew_interval); }},
    {"tenure_try_limit_seconds", "Per-try limit as tuned now.",
     [](const Reading& r) { return Seconds(r.snapshot.try_limit); }},
    {"tenure_lease_duration_seconds", "Lease duration as configured.",
     [](const Reading& r) {
       return static_cast<double>(r.snapshot.lease_duration_seconds);
     }},
    {"tenure_renew_deadline_seconds", "Renew deadline as configured.",
     [](const Reading& r) { return Seconds(r.snapshot.renew_deadline); }},
    {"tenure_acquisition_refused",
     "1 while something about the Lease keeps this process from acquiring it.",
     [](const Reading& r) { return r.snapshot.refusal.empty() ? 0.0 : 1.0; }},
    {"tenure_work_running", "Work registered and not done.",
     [](const Reading& r) {
       return static_cast<double>(r.snapshot.work_running);
     }},
    {"tenure_draining", "1 while draining.",
     [](const Reading& r) { return r.snapshot.draining ? 1.0 : 0.0; }},
};

const char* StateOf(const Reading& reading) {
  if (reading.snapshot.finished) return "released";
  switch (reading.answer.certainty) {
    case Certainty::kHeld:
      return "holder";
    case Certainty::kStandby:
      return "standby";
    case Certainty::kUncertain:
      return "uncertain";
  }
  return "uncertain";
}

MetricFamily Family(const char* name, const char* help) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = MetricType::Gauge;
  return family;
}

}  // namespace

std::vector<MetricFamily> BoardGauges(const SnapshotBoard& board,
                                      const Moment& now, bool client_go_alias) {
  std::vector<MetricFamily> families;
  for (const Gauge& gauge : kGauges) {
    families.push_back(Family(gauge.name, gauge.help));
  }
  MetricFamily state =
      Family("tenure_authority_state", "1 for the state of the lease now.");
  MetricFamily alias = Family("leader_election_master_status",
                              "client-go's name for tenure_lease_held.");
  for (std::size_t i = 0; i < board.leases().size(); ++i) {
    const std::string& lease = board.leases()[i];
    const auto snapshot = board.Read(i);
    const Reading reading{*snapshot, CertaintyAt(*snapshot, now)};
    for (std::size_t g = 0; g < std::size(kGauges); ++g) {
      families[g].metric.push_back(
          Sample({{"lease", lease}}, kGauges[g].value(reading)));
    }
    const std::string is = StateOf(reading);
    for (const char* name : {"holder", "standby", "uncertain", "released"}) {
      state.metric.push_back(
          Sample({{"lease", lease}, {"state", name}}, is == name ? 1.0 : 0.0));
    }
    alias.metric.push_back(
        Sample({{"name", lease}}, kGauges[0].value(reading)));
  }
  families.push_back(std::move(state));
  if (client_go_alias) families.push_back(std::move(alias));
  return families;
}

std::vector<MetricFamily> ProcessGauges() {
  const ProcessStats stats = ReadProcessStats();
  const auto gauge = [](const char* name, const char* help, double value) {
    MetricFamily family = Family(name, help);
    family.metric.push_back(Sample({}, value));
    return family;
  };
  MetricFamily cpu = Family("process_cpu_seconds_total",
                            "User and system CPU time in seconds.");
  cpu.type = MetricType::Counter;
  ClientMetric used;
  used.counter.value = stats.cpu_seconds;
  cpu.metric.push_back(used);
  return {
      std::move(cpu),
      gauge("process_resident_memory_bytes", "Resident memory in bytes.",
            stats.resident_bytes),
      gauge("process_virtual_memory_bytes", "Virtual memory in bytes.",
            stats.virtual_bytes),
      gauge("process_start_time_seconds", "Start, in Unix time.",
            stats.start_time_seconds),
      gauge("process_threads", "Threads.", stats.threads),
      gauge("process_open_fds", "Open file descriptors.", stats.open_fds),
      gauge("process_max_fds", "Limit on open file descriptors.",
            stats.max_fds),
  };
}

}  // namespace tenure
