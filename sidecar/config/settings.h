// Settings: every setting of a sidecar, as given or by default.
//
// setting_table.h names each for people; sidecar_plan.h turns them into what
// the parts of the process need.
//
// Thread safety: values.
#ifndef TENURE_CONFIG_SETTINGS_H_
#define TENURE_CONFIG_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"

namespace tenure {

struct DriftAllowance {
  std::int32_t ppm = 10'000;  // 1 %
};

struct FileMode {
  unsigned bits = 0660;
};

struct Settings {
  // Leases.
  std::vector<std::string> lease;
  std::int64_t slots = 0;  // 0: `lease` as it stands
  std::string name_space;  // "": the credentials' own, or "default"

  // Times; unset: from the preset, or derived.
  std::string preset = "default";
  std::optional<Duration> ride_out;
  std::optional<Duration> stop_budget;
  std::optional<Duration> lease_duration;
  std::optional<Duration> renew_deadline;
  std::optional<Duration> renew_interval;
  std::optional<Duration> min_renew_interval;
  DriftAllowance drift_allowance;
  bool foreign_contenders = false;

  // Taking a lease.
  std::string absent_lease;  // "": wait, or take on an embedded server
  std::int64_t min_generation = 0;
  Duration max_foreign_duration = std::chrono::minutes(10);

  // Who we are.
  std::string pod_name;
  std::string pod_uid;

  // The API server.
  std::string kubeconfig;
  std::string context;
  bool watch = true;
  bool embedded = false;
  std::int64_t embedded_port = 0;

  // The local surface.
  std::string status_socket;  // "": by where we run; "none": no socket
  std::string control_socket;
  FileMode control_socket_mode;
  std::string control_socket_group;
  bool status_tcp = true;
  std::int64_t status_port = 7421;
  bool probe = true;
  std::int64_t probe_port = 7422;
  std::string readiness_policy = "certain";
  std::string host_network = "auto";
  bool allow_host_network_tcp = false;

  // The end.
  Duration drain_timeout = std::chrono::seconds(20);

  // Logs and metrics.
  std::string log_format = "auto";
  std::string log_level = "info";
  std::string color = "auto";
  bool client_go_metric_alias = false;
};

}  // namespace tenure

#endif  // TENURE_CONFIG_SETTINGS_H_
