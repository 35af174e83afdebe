#include "sidecar/drill/server.h"

#include <sys/wait.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenure {
namespace {

constexpr Duration kStarting = std::chrono::seconds(30);
constexpr char kKubeconfig[] = "/dev.kubeconfig";

// The number at the end of `text`; 0: there is none.
std::uint16_t LastNumber(std::string_view text) {
  const std::size_t before = text.find_last_not_of("0123456789");
  if (before != std::string_view::npos) text.remove_prefix(before + 1);
  std::uint16_t number = 0;
  const auto [at, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && at == text.data() + text.size() ? number : 0;
}

// The port that a child of ours prints when it is ready.
Result<std::uint16_t> PortOf(Child* child, const std::string& what,
                             const std::string& log) {
  const Result<std::string> line = child->out.Read(kStarting);
  const std::uint16_t port = line ? LastNumber(*line) : std::uint16_t{0};
  if (port == 0) {
    return Fail(ErrorCode::kUnavailable,
                "expected " + what + " to start, found: " + LastLine(log));
  }
  return port;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

ChildOrder DrillServer::Order(const std::string& name) const {
  ChildOrder order;
  order.log = folder_ + "/" + name + ".log";
  order.signals = options_.signals;
  return order;
}

Result<void> DrillServer::Start() {
  ChildOrder order = Order("dev");
  order.words = {"dev", "--faults", "--kubeconfig-out", folder_ + kKubeconfig};
  Result<Child> child = StartChild(order);
  if (!child) return std::unexpected(child.error());
  const auto port = PortOf(&*child, "tenure dev", order.log);
  if (!port) return std::unexpected(port.error());
  port_ = *port;
  return {};
}

Result<std::string> DrillServer::KubeconfigFor(const std::string& who,
                                               bool relayed) {
  std::string path = folder_ + kKubeconfig;
  if (!relayed) return path;
  if (const auto ok = StartRelay(who); !ok) {
    return std::unexpected(ok.error());
  }
  std::string text = ReadFile(path);
  const std::string direct = ":" + std::to_string(port_);
  const std::size_t at = text.find(direct);
  if (at != std::string::npos) {
    text.replace(at, direct.size(), ":" + std::to_string(relays_[who].port));
  }
  path = folder_ + "/" + who + ".kubeconfig";
  std::ofstream(path) << text;
  return path;
}

void DrillServer::SignalRelay(const std::string& who, int signal) {
  const auto found = relays_.find(who);
  if (found == relays_.end() || found->second.pid == 0) return;
  ::kill(found->second.pid, signal);
  if (signal != SIGKILL) return;
  ::waitpid(found->second.pid, nullptr, 0);
  found->second.pid = 0;
}

Result<void> DrillServer::StartRelay(const std::string& who) {
  Relay& relay = relays_[who];
  ChildOrder order = Order("relay-" + who);
  order.words = {"drill-relay", std::to_string(relay.port),
                 std::to_string(port_)};
  Result<Child> child = StartChild(order);
  if (!child) return std::unexpected(child.error());
  relay.pid = child->pid;
  const auto port = PortOf(&*child, "a relay", order.log);
  if (!port) return std::unexpected(port.error());
  relay.port = *port;
  return {};
}

Result<ApiAnswer> DrillServer::Call(const std::string& method,
                                    const std::string& target,
                                    const std::string& body) {
  Result<ApiAnswer> answer = options_.api(port_, method, target, body);
  if (answer && answer->status / 100 != 2) {
    return Fail(ErrorCode::kUnavailable, "expected " + method + " " + target +
                                             " to succeed, found " +
                                             std::to_string(answer->status));
  }
  return answer;
}

Result<void> DrillServer::AddFault(const std::string& json) {
  const auto answer = Call("POST", "/faults", json);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

Result<void> DrillServer::ClearFaults() {
  const auto answer = Call("DELETE", "/faults");
  if (!answer) return std::unexpected(answer.error());
  return {};
}

Result<std::int64_t> DrillServer::Strikes() {
  const auto answer = Call("GET", "/faults");
  if (!answer) return std::unexpected(answer.error());
  const auto document = nlohmann::json::parse(answer->body, nullptr, false);
  std::int64_t sum = 0;
  if (!document.is_object() || !document.contains("faults")) return sum;
  for (const auto& fault : document["faults"]) {
    const auto found = fault.find("strikes");
    if (found != fault.end() && found->is_number_integer()) {
      sum += found->get<std::int64_t>();
    }
  }
  return sum;
}

Result<void> DrillServer::DeleteLease(const std::string& name) {
  const auto answer =
      Call("DELETE",
           "/apis/coordination.k8s.io/v1/namespaces/default/leases/" + name);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

}  // namespace tenure
