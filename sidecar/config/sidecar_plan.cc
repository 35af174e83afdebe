#include "sidecar/config/sidecar_plan.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/lease_set.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/host_facts.h"
#include "sidecar/config/lease_name.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/plan_times.h"
#include "sidecar/config/setting_table.h"

namespace tenure {
namespace {

constexpr char kEmbeddedLease[] = "demo";
constexpr char kNoSocket[] = "none";
constexpr std::size_t kMaxSocketPath = 107;  // sun_path less its ending zero
constexpr std::size_t kMaxIdentityPart = 253;

std::string NoPlaceFor(const std::string& flag) {
  return "expected XDG_RUNTIME_DIR to name a private directory, found it "
         "unset; export XDG_RUNTIME_DIR=$(mktemp -d), and the same value in "
         "every other terminal, or give --" +
         flag + " PATH, or --" + flag + " none" +
         (flag == "control-socket"
              ? ", with which the sidecar is of no use to `tenure exec`"
              : "");
}

// One making of one plan.
class Planner {
 public:
  Planner(const LoadedSettings& loaded, const HostFacts& host)
      : loaded_(loaded), host_(host) {
    plan_.settings = loaded.settings;
    plan_.origins = loaded.origins;
    plan_.notes = loaded.notes;
    problems_ = loaded.problems;
  }

  std::expected<SidecarPlan, Problems> Run() {
    PlanLeases();
    PlanNamespace();
    PlanServer();
    PlanTaking();
    PlanIdentity();
    PlanLocal();
    if (!problems_.empty()) {
      problems_.insert(problems_.end(), loaded_.notes.begin(),
                       loaded_.notes.end());
      return std::unexpected(std::move(problems_));
    }
    for (const SettingSpec& spec : SettingTable()) {
      plan_.origins.try_emplace(spec.flag, "default");
    }
    return std::move(plan_);
  }

 private:
  Settings& settings() { return plan_.settings; }

  bool Given(const char* flag) const { return loaded_.origins.contains(flag); }

  // "--slots", "TENURE_SLOTS", "tenure.yaml:7:3 slots", or the bare flag.
  std::string Origin(const char* flag) const {
    const auto found = loaded_.origins.find(flag);
    return found == loaded_.origins.end() ? flag : found->second;
  }

  void Refuse(const char* flag, const std::string& message) {
    if (loaded_.refused.contains(flag)) return;
    problems_.push_back(Origin(flag) + ": " + message);
  }

  void Derived(const char* flag, const char* from) {
    plan_.origins.try_emplace(flag, from);
  }

  void PlanLeases() {
    std::vector<std::string>& lease = settings().lease;
    if (lease.empty() && settings().embedded) {
      lease = {kEmbeddedLease};
      Derived("lease", "default of an embedded server");
    }
    if (lease.empty()) {
      Refuse("lease",
             "expected the name of the Lease to hold, found none; give "
             "--lease NAME, TENURE_LEASE or `lease:` in the file");
      return;
    }
    const std::int64_t slots = settings().slots;
    if (slots > 0 && lease.size() != 1) {
      Refuse("slots", "expected one lease to number, found " +
                          std::to_string(lease.size()));
      return;
    }
    std::vector<std::string> names = lease;
    if (slots > 0) {
      plan_.policy = LeaseSetPolicy::kAny;
      names.clear();
      for (std::int64_t i = 0; i < slots; ++i) {
        names.push_back(lease.front() + "-" + std::to_string(i));
      }
    }
    // With slots the longest number decides, and the rest would only repeat.
    const auto first = slots > 0 ? names.end() - 1 : names.begin();
    std::for_each(first, names.end(), [this](const std::string& name) {
      if (const Result<void> ok = CheckLeaseName(name); !ok) {
        Refuse("lease", ok.error().message);
      }
    });
    std::sort(names.begin(), names.end());
    if (const auto twin = std::adjacent_find(names.begin(), names.end());
        twin != names.end()) {
      Refuse("lease",
             "expected different names, found \"" + *twin + "\" twice");
    }
    plan_.leases = std::move(names);
  }

  void PlanNamespace() {
    if (settings().name_space.empty()) return;
    if (const Result<void> ok = CheckNamespace(settings().name_space); !ok) {
      Refuse("namespace", ok.error().message);
    }
  }

  void PlanServer() {
    if (!settings().embedded) {
      if (settings().embedded_port != 0) {
        Refuse("embedded-port", "expected with --embedded only");
      }
      return;
    }
    for (const char* flag : {"kubeconfig", "context"}) {
      if (Given(flag)) {
        Refuse(flag, "expected either this or --embedded, found both");
      }
    }
  }

  void PlanTaking() {
    Settings& s = settings();
    if (s.absent_lease.empty()) {
      s.absent_lease = s.embedded ? "take" : "wait";
      Derived("absent-lease",
              s.embedded ? "default of an embedded server" : "default");
    }
    AuthorityOptions& authority = plan_.authority;
    authority.absent_lease =
        s.absent_lease == "take" ? AbsentLease::kTake : AbsentLease::kWait;
    authority.min_generation = s.min_generation;
    authority.max_foreign_duration = s.max_foreign_duration == Duration{0}
                                         ? Duration::max()
                                         : s.max_foreign_duration;
    if (std::any_of(std::begin(kTimeFlags), std::end(kTimeFlags),
                    [this](const char* flag) {
                      return loaded_.refused.contains(flag);
                    })) {
      return;
    }
    auto times = PlanTimes(s, loaded_.origins);
    if (!times) {
      std::move(times.error().begin(), times.error().end(),
                std::back_inserter(problems_));
      return;
    }
    authority.times = *times;
    const std::string from =
        s.ride_out ? "from the ride-out" : "preset " + s.preset;
    if (s.ride_out) s.preset.clear();
    s.lease_duration = std::chrono::seconds(times->lease_duration_seconds);
    s.renew_deadline = times->renew_deadline;
    s.renew_interval = times->renew_interval;
    s.min_renew_interval = times->min_renew_interval;
    Derived("lease-duration", from.c_str());
    Derived("renew-deadline", from.c_str());
    Derived("renew-interval", from.c_str());
    Derived("min-renew-interval", "half the renew interval");
  }

  void PlanIdentity() {
    Settings& s = settings();
    if (s.pod_name.empty()) {
      s.pod_name = host_.hostname.empty() ? "unknown" : host_.hostname;
      Derived("pod-name", "the host name");
    }
    if (s.pod_uid.empty()) {
      s.pod_uid = host_.boot_id.empty() ? "unknown" : host_.boot_id;
      Derived("pod-uid", "this boot of the machine");
    }
    CheckIdentityPart("pod-name", s.pod_name);
    CheckIdentityPart("pod-uid", s.pod_uid);
  }

  void CheckIdentityPart(const char* flag, const std::string& text) {
    const bool printable = std::all_of(
        text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
    if (printable && text.size() <= kMaxIdentityPart) return;
    constexpr std::size_t kMostQuoted = 40;
    std::string found = text.substr(0, kMostQuoted);
    std::replace_if(
        found.begin(), found.end(), [](char c) { return c < 0x20 || c > 0x7e; },
        '?');
    Refuse(flag,
           "expected at most 253 printable characters without spaces, found " +
               std::to_string(text.size()) + " characters: \"" + found +
               (text.size() > kMostQuoted ? "...\"" : "\""));
  }

  void PlanLocal() {
    Settings& s = settings();
    PlanSocket("status-socket", "/run/tenure/tenure.sock", "tenure.sock",
               &s.status_socket);
    PlanSocket("control-socket", "/run/tenure-control/control.sock",
               "control.sock", &s.control_socket);
    if (s.status_socket != kNoSocket) plan_.status_socket = s.status_socket;
    if (s.control_socket != kNoSocket) plan_.control_socket = s.control_socket;
    if (!plan_.status_socket.empty() &&
        plan_.status_socket == plan_.control_socket) {
      Refuse("control-socket",
             "expected another path than the status socket's, found the same");
    }
    if (s.status_tcp && s.probe && s.status_port != 0 &&
        s.status_port == s.probe_port) {
      Refuse("probe-port",
             "expected another port than the status port, found " +
                 std::to_string(s.probe_port) + " for both");
    }
    const bool host_network = s.host_network == "auto"
                                  ? host_.host_network == HostNetwork::kYes
                                  : s.host_network == "true";
    if (s.host_network == "auto" && host_.in_pod && s.status_tcp &&
        host_.host_network == HostNetwork::kUnknown) {
      plan_.notes.push_back(
          "host-network: expected the addresses of pod and node in POD_IP and "
          "HOST_IP, found none; assumed that the pod has a network of its own, "
          "so TCP is served on 127.0.0.1. Set both from the downward API, or "
          "give --host-network");
    }
    if (host_network && s.status_tcp && !s.allow_host_network_tcp) {
      Refuse("status-tcp",
             "expected no TCP under the node's network, where every process "
             "of the node can reach 127.0.0.1:" +
                 std::to_string(s.status_port) +
                 "; give --no-status-tcp and read the Unix socket, or "
                 "--allow-host-network-tcp");
    }
  }

  void PlanSocket(const char* flag, const char* in_pod, const char* file,
                  std::string* path) {
    if (*path == kNoSocket) return;
    if (path->empty()) {
      if (!host_.in_pod && !host_.runtime_directory.empty()) {
        *path = host_.runtime_directory + "/tenure/" + file;
        Derived(flag, "XDG_RUNTIME_DIR");
      } else if (host_.in_pod || host_.root) {
        *path = in_pod;
      } else {
        // Never a directory others can write to: they could answer for us.
        Refuse(flag, NoPlaceFor(flag));
        return;
      }
    }
    if (path->size() > kMaxSocketPath) {
      Refuse(flag, "expected a path of at most 107 bytes, found " +
                       std::to_string(path->size()));
    }
  }

  const LoadedSettings& loaded_;
  const HostFacts& host_;
  SidecarPlan plan_;
  Problems problems_;
};

}  // namespace

std::expected<SidecarPlan, Problems> MakePlan(const LoadedSettings& loaded,
                                              const HostFacts& host) {
  return Planner(loaded, host).Run();
}

std::string MakeIdentity(const Settings& settings, const Entropy& entropy) {
  char random[17];
  std::snprintf(random, sizeof random, "%016llx",
                static_cast<unsigned long long>(entropy[0]));
  return settings.pod_name + "_" + settings.pod_uid + "_" + random;
}

}  // namespace tenure
