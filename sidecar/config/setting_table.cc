#include "sidecar/config/setting_table.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sidecar/config/settings.h"

namespace tenure {
namespace {

constexpr char kLeases[] = "Leases";
constexpr char kTimes[] = "Times";
constexpr char kTaking[] = "Taking a lease";
constexpr char kIdentity[] = "Identity";
constexpr char kServer[] = "API server";
constexpr char kLocal[] = "Local surface";
constexpr char kEnd[] = "The end";
constexpr char kLogs[] = "Logs and metrics";

constexpr std::int64_t kMaxPort = 65'535;
constexpr std::int64_t kMaxSlots = 64;
constexpr std::int64_t kMaxMinGeneration = (std::int64_t{1} << 53) - 1;

const auto kTable = std::to_array<SettingSpec>({
    {kLeases, "lease", 'l', &Settings::lease, "NAME", "demo with --embedded",
     "Lease to hold. Repeat it, or separate names with commas, to hold "
     "several: "
     "they are acquired in sorted order."},
    {kLeases, "slots", 0, &Settings::slots, "N", "0",
     "Hold any one of NAME-0 to NAME-(N-1), where NAME is the one --lease. 0: "
     "the lease as it is named.",
     kMaxSlots},
    {kLeases, "namespace", 'n', &Settings::name_space, "NAMESPACE",
     "that of the service account or kubeconfig context",
     "Namespace of the leases.", 0, "", "POD_NAMESPACE"},

    {kTimes, "preset", 0, &Settings::preset, "NAME", "",
     "Lease duration, renew deadline and renew interval together: fast is "
     "3s/2s/500ms, default is 15s/10s/2s, patient is 137s/107s/26s.",
     0, "fast|default|patient"},
    {kTimes, "ride-out", 0, &Settings::ride_out, "DURATION", "not set",
     "The API outage to survive while held; lease duration and renew deadline "
     "follow from it. Replaces a preset."},
    {kTimes, "stop-budget", 0, &Settings::stop_budget, "DURATION",
     "5s with --ride-out",
     "Time that guarded work needs to die after being told to stop: kept "
     "between the renew deadline and the end of the claim."},
    {kTimes, "lease-duration", 0, &Settings::lease_duration, "DURATION",
     "from the preset",
     "How long a record that stands still counts as held. Whole seconds, from "
     "2s."},
    {kTimes, "renew-deadline", 0, &Settings::renew_deadline, "DURATION",
     "from the preset",
     "How long after the last acknowledged renewal doubt begins."},
    {kTimes, "renew-interval", 0, &Settings::renew_interval, "DURATION",
     "from the preset",
     "Time between renewals; tuned down when answers are slow."},
    {kTimes, "min-renew-interval", 0, &Settings::min_renew_interval, "DURATION",
     "half the renew interval",
     "How far the renew interval may be tuned down."},
    {kTimes, "drift-allowance", 0, &Settings::drift_allowance, "PERCENT", "",
     "How much faster another machine's clock may run."},
    {kTimes, "foreign-contenders", 0, &Settings::foreign_contenders, "", "",
     "client-go electors contend for the same Lease: the claim is shortened "
     "for their whole-second clocks."},

    {kTaking, "absent-lease", 0, &Settings::absent_lease, "ACTION",
     "wait; take with --embedded",
     "What to do when the Lease does not exist: wait counts it as held for a "
     "lease duration from when that was seen; take relies on the fence alone.",
     0, "wait|take"},
    {kTaking, "min-generation", 0, &Settings::min_generation, "N", "0",
     "Every generation is above this. Also the way out of a malformed "
     "generation annotation. 0: none.",
     kMaxMinGeneration},
    {kTaking, "max-foreign-duration", 0, &Settings::max_foreign_duration,
     "DURATION", "",
     "A holder's recorded duration above this is still waited for, and "
     "reported with the way out. 0: never reported."},

    {kIdentity, "pod-name", 0, &Settings::pod_name, "NAME", "the host name",
     "First part of the holder identity.", 0, "", "POD_NAME"},
    {kIdentity, "pod-uid", 0, &Settings::pod_uid, "UID",
     "an id of this boot of the machine",
     "Second part of the holder identity; the third is random for each "
     "process.",
     0, "", "POD_UID"},

    {kServer, "kubeconfig", 0, &Settings::kubeconfig, "FILE",
     "in a pod its service account; else KUBECONFIG, then ~/.kube/config",
     "How to reach the API server. Through a proxy only if it names one "
     "(proxy-url): HTTPS_PROXY is not read."},
    {kServer, "context", 0, &Settings::context, "NAME", "the current context",
     "Context of the kubeconfig."},
    {kServer, "watch", 0, &Settings::watch, "", "",
     "Watch the Lease while on standby, so that a release is noticed within "
     "milliseconds; without it the sidecar polls at the renew interval."},
    {kServer, "embedded", 0, &Settings::embedded, "", "",
     "Run an API server for Leases inside this process, in memory; no cluster "
     "is needed."},
    {kServer, "embedded-port", 0, &Settings::embedded_port, "PORT", "0",
     "Loopback port of that server. 0: any free one.", kMaxPort},

    {kLocal, "status-socket", 0, &Settings::status_socket, "PATH",
     "/run/tenure/tenure.sock; outside a pod under $XDG_RUNTIME_DIR/tenure if "
     "that is set, as it must be but for root",
     "Unix socket for readers, open to every user. none: no socket."},
    {kLocal, "control-socket", 0, &Settings::control_socket, "PATH",
     "/run/tenure-control/control.sock; outside a pod under "
     "$XDG_RUNTIME_DIR/tenure if that is set, as it must be but for root",
     "Unix socket for work, done, release and floor. none: no socket."},
    {kLocal, "control-socket-mode", 0, &Settings::control_socket_mode, "MODE",
     "", "File mode of the control socket, octal."},
    {kLocal, "control-socket-group", 0, &Settings::control_socket_group,
     "GROUP", "the process's own",
     "Group of the control socket, by name or number."},
    {kLocal, "status-tcp", 0, &Settings::status_tcp, "", "",
     "Serve readers on 127.0.0.1 and [::1] as well."},
    {kLocal, "status-port", 0, &Settings::status_port, "PORT", "",
     "Port of the status listener. 0: any free one.", kMaxPort},
    {kLocal, "probe", 0, &Settings::probe, "", "",
     "Serve probes and metrics on the pod's address. A request must name it by "
     "address, as the kubelet and Prometheus do, or as localhost: under "
     "another "
     "name in Host a page in a browser could read it."},
    {kLocal, "probe-port", 0, &Settings::probe_port, "PORT", "",
     "Port of the probe listener. 0: any free one.", kMaxPort},
    {kLocal, "readiness-policy", 0, &Settings::readiness_policy, "POLICY", "",
     "certain: ready while the answer is certain, so a clean standby is ready; "
     "holder: ready only while the lease is held.",
     0, "certain|holder"},
    {kLocal, "host-network", 0, &Settings::host_network, "ANSWER", "",
     "Whether the pod uses the node's network. auto compares POD_IP with "
     "HOST_IP, and without either assumes that it does not, and says so.",
     0, "auto|true|false"},
    {kLocal, "allow-host-network-tcp", 0, &Settings::allow_host_network_tcp, "",
     "",
     "Serve status over TCP on the node's own loopback, where every process "
     "of the node can read it."},

    {kEnd, "drain-timeout", 0, &Settings::drain_timeout, "DURATION", "",
     "After SIGTERM: how long to wait for running work before exiting "
     "unreleased. Keep it below the pod's termination grace period. 0: no "
     "limit."},

    {kLogs, "log-format", 0, &Settings::log_format, "FORMAT", "",
     "auto: text on a terminal, JSON lines otherwise.", 0, "auto|json|text"},
    {kLogs, "log-level", 0, &Settings::log_level, "LEVEL", "",
     "Least level that is logged; debug has a line for every renewal.", 0,
     "debug|info|warn|error"},
    {kLogs, "color", 0, &Settings::color, "WHEN", "",
     "auto: on a terminal, unless NO_COLOR is set or TERM is dumb.", 0,
     "auto|always|never"},
    {kLogs, "client-go-metric-alias", 0, &Settings::client_go_metric_alias, "",
     "",
     "Export leader_election_master_status too, for dashboards that know "
     "client-go."},
});

}  // namespace

std::span<const SettingSpec> SettingTable() { return kTable; }

std::string EnvironmentVariable(std::string_view flag) {
  std::string name = "TENURE_";
  for (char c : flag) {
    name += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

std::string FileKey(std::string_view flag) {
  std::string key;
  bool raise = false;
  for (char c : flag) {
    if (c == '-') {
      raise = true;
      continue;
    }
    key += raise ? static_cast<char>(c - 'a' + 'A') : c;
    raise = false;
  }
  return key;
}

bool IsSwitch(const SettingSpec& spec) {
  return std::holds_alternative<bool Settings::*>(spec.field);
}

bool IsList(const SettingSpec& spec) {
  return std::holds_alternative<std::vector<std::string> Settings::*>(
      spec.field);
}

}  // namespace tenure
