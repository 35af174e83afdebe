#include "sidecar/cli/start_report.h"

#include <cstdint>
#include <string>
#include <vector>

#include "sidecar/authority/lease_set.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/cli/build_info.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {
namespace {

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ",") + name;
  }
  return text;
}

std::string PortText(std::uint16_t port) {
  return port == 0 ? "" : std::to_string(port);
}

std::string Arithmetic(const StartFacts& facts) {
  return RenewalSchedule(facts.plan.authority.times, 0).Explain();
}

std::string Indented(const std::string& text) {
  std::string result;
  bool fresh = true;
  for (char c : text) {
    if (fresh) result += "  ";
    result += c;
    fresh = c == '\n';
  }
  return result;
}

// Several spaces line up columns for people; a log value needs one line.
std::string OneLine(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '\n') {
      result += "; ";
    } else if (c != ' ' || !result.ends_with(' ')) {
      result += c;
    }
  }
  while (result.ends_with("; ")) result.resize(result.size() - 2);
  return result;
}

}  // namespace

std::string CurlLine(const StartFacts& facts) {
  const std::string query = facts.plan.leases.size() == 1
                                ? ""
                                : "?lease=" + facts.plan.leases.front();
  const std::string quoted = query.empty() ? "" : "'";
  if (facts.status_port != 0) {
    return "curl " + quoted +
           "http://127.0.0.1:" + std::to_string(facts.status_port) +
           "/v1/generation" + query + quoted;
  }
  if (facts.plan.status_socket.empty()) return "";
  return "curl --unix-socket " + facts.plan.status_socket + " " + quoted +
         "http://localhost/v1/generation" + query + quoted;
}

std::string StartText(const StartFacts& facts) {
  const SidecarPlan& plan = facts.plan;
  std::string text = std::string("tenure ") + BuildVersion() + ": " +
                     (plan.policy == LeaseSetPolicy::kAny ? "any of " : "") +
                     Joined(plan.leases) + " in namespace " + facts.name_space +
                     " on " + facts.api_server + "\n" +
                     Indented(Arithmetic(facts));
  if (!plan.status_socket.empty()) {
    text += "  status      = " + plan.status_socket + "\n";
  }
  if (!plan.control_socket.empty()) {
    text += "  control     = " + plan.control_socket + "\n";
  }
  if (facts.probe_port != 0) {
    text += "  probes      = port " + std::to_string(facts.probe_port) + "\n";
  }
  const std::string curl = CurlLine(facts);
  if (!curl.empty()) text += "Read the generation with\n  " + curl + "\n";
  if (facts.embedded) {
    text +=
        "The API server is inside this process. Generations begin above a "
        "resource version\nof it, so the first is not 1.\n";
  }
  return text;
}

void LogStart(const StartFacts& facts, Telemetry* telemetry) {
  const SidecarPlan& plan = facts.plan;
  telemetry->Log(LogLevel::kInfo, "Started",
                 {{"version", BuildVersion()},
                  {"revision", BuildRevision()},
                  {"leases", Joined(plan.leases)},
                  {"namespace", facts.name_space},
                  {"holderIdentity", facts.identity},
                  {"server", facts.api_server}});
  telemetry->Log(LogLevel::kInfo, "Computed times",
                 {{"arithmetic", OneLine(Arithmetic(facts))}});
  telemetry->Log(LogLevel::kInfo, "Opened local surface",
                 {{"statusSocket", plan.status_socket},
                  {"controlSocket", plan.control_socket},
                  {"statusPort", PortText(facts.status_port)},
                  {"probePort", PortText(facts.probe_port)},
                  {"readGeneration", CurlLine(facts)}});
}

}  // namespace tenure
