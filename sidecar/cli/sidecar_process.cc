#include "sidecar/cli/sidecar_process.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/access_choice.h"
#include "sidecar/cli/build_info.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/open_files.h"
#include "sidecar/cli/start_report.h"
#include "sidecar/cli/startup_memory.h"
#include "sidecar/cli/terminal.h"
#include "sidecar/cli/termination.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/config/lease_name.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/sidecar_plan.h"
#include "sidecar/coordinator/driver.h"
#include "sidecar/coordinator/lease_store.h"
#include "sidecar/coordinator/lease_watch.h"
#include "sidecar/coordinator/loop.h"
#include "sidecar/coordinator/snapshot_board.h"
#include "sidecar/kube/child_process.h"
#include "sidecar/kube/lease_transport.h"
#include "sidecar/kube/watch_stream.h"
#include "sidecar/server/local_server.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {
namespace {

// Long after the first handshakes and answers.
constexpr Duration kStarting = std::chrono::seconds(10);
constexpr Duration kLastWords = std::chrono::seconds(1);
// "No limit" for a timer.
constexpr Duration kForever = std::chrono::hours(24 * 365);

TelemetryOptions LogsAndMetrics(const SidecarPlan& plan,
                                const Environment& environment,
                                const std::string& name_space,
                                const std::string& identity) {
  const bool terminal = StderrIsTerminal();
  TelemetryOptions options;
  options.format = ChooseFormat(plan.settings, terminal);
  options.level = ChooseLevel(plan.settings);
  options.color = ChooseColor(plan.settings, environment, terminal);
  options.name_space = name_space;
  options.identity = identity;
  options.version = BuildVersion();
  options.revision = BuildRevision();
  options.client_go_alias = plan.settings.client_go_metric_alias;
  return options;
}

LocalServerOptions Surface(const SidecarPlan& plan,
                           const std::string& name_space,
                           std::int64_t connections, Telemetry* telemetry) {
  const Settings& settings = plan.settings;
  LocalServerOptions options;
  options.name_space = name_space;
  options.status_socket = plan.status_socket;
  options.status_tcp = settings.status_tcp;
  options.status_port = static_cast<std::uint16_t>(settings.status_port);
  options.control_socket = plan.control_socket;
  options.control_mode = settings.control_socket_mode.bits;
  options.control_group = settings.control_socket_group;
  options.probe = settings.probe;
  options.probe_port = static_cast<std::uint16_t>(settings.probe_port);
  options.readiness = settings.readiness_policy == "holder"
                          ? ReadinessPolicy::kHolder
                          : ReadinessPolicy::kCertain;
  options.lease_set = plan.policy;
  options.max_all_connections = static_cast<int>(connections);
  options.on_refusal = [telemetry](const std::string& why) {
    telemetry->Log(LogLevel::kWarn, "Could not serve readers", {{"err", why}});
  };
  options.on_control = [telemetry](const ControlCall& call) {
    telemetry->Log(LogLevel::kInfo, "Answered control request",
                   {{"lease", call.lease},
                    {"request", call.route},
                    {"generation", std::to_string(call.generation)},
                    {"status", std::to_string(call.status)},
                    {"pid", std::to_string(call.pid)},
                    {"uid", std::to_string(call.uid)}});
  };
  return options;
}

// Of the leases; checked, for it becomes a part of paths. Error:
// kInvalidArgument.
Result<std::string> NamespaceOf(const SidecarPlan& plan,
                                const OpenedAccess& access) {
  if (!plan.settings.name_space.empty()) return plan.settings.name_space;
  std::string given = access.source->Current()->default_namespace;
  if (given.empty()) return "default";
  if (const Result<void> ok = CheckNamespace(given); !ok) {
    return Fail(ErrorCode::kInvalidArgument,
                "the namespace of the kubeconfig's context or of the service "
                "account: " +
                    ok.error().message + ", or give --namespace");
  }
  return given;
}

// The object graph, in the order in which each part needs those before it.
class Sidecar {
 public:
  Sidecar(const SidecarPlan& plan, const Environment& environment,
          OpenedAccess access, std::string name_space)
      : plan_(plan),
        access_(std::move(access)),
        name_space_(std::move(name_space)),
        identity_(MakeIdentity(plan.settings, ReadEntropy())),
        board_(plan.leases),
        telemetry_(Telemetry::New(
            LogsAndMetrics(plan, environment, name_space_, identity_),
            &board_)),
        loop_(&board_),
        driver_(Lanes(), plan.policy, ReadEntropy()[0] % plan.leases.size(),
                &board_, telemetry_.get(),
                {&ReadClocks, &ReadEntropy, loop_.Waker()}) {}

  Result<void> Open(std::int64_t connections) {
    auto server = LocalServer::Open(
        Surface(plan_, name_space_, connections, telemetry_.get()), &board_,
        &loop_, &ReadClocks, [this](const Moment& now, bool open_metrics) {
          return telemetry_->Render(now, open_metrics, server_->connections());
        });
    if (!server) return std::unexpected(server.error());
    server_ = *std::move(server);
    return {};
  }

  void Report(bool as_text) const {
    const auto apis = access_.source->Current();
    const StartFacts facts{
        plan_,
        name_space_,
        identity_,
        DescribeAccess(*apis),
        access_.embedded != nullptr,
        plan_.settings.status_tcp ? server_->status_port() : std::uint16_t{0},
        plan_.settings.probe ? server_->probe_port() : std::uint16_t{0}};
    if (as_text) std::fputs(StartText(facts).c_str(), stderr);
    if (!as_text) LogStart(facts, telemetry_.get());
    for (const std::string& note : plan_.notes) Note(note);
    for (const std::string& note : access_.notes) Note(note);
  }

  int Run(Termination* termination) {
    termination->Arm(loop_.context(), [this] {
      const Duration limit = plan_.settings.drain_timeout;
      loop_.Drain(limit == Duration{0} ? kForever : limit);
    });
    if (const Result<void> started = server_->Start(); !started) {
      PrintProblem(started.error().message);
      return kExitConfiguration;
    }
    boost::asio::steady_timer started(loop_.context(), kStarting);
    started.async_wait([](const boost::system::error_code& error) {
      if (!error) ReleaseStartupMemory();
    });
    const Loop::Exit exit = loop_.Run(&driver_);
    server_->Stop();
    KillRunningChild();
    if (exit == Loop::Exit::kDrainTimeout) {
      telemetry_->Log(
          LogLevel::kWarn, "Gave up draining, leases were not released",
          {{"namespace", name_space_}, {"holderIdentity", identity_}});
    }
    telemetry_->Flush(kLastWords);
    return exit == Loop::Exit::kDrained ? kExitOk : kExitNotDrained;
  }

 private:
  std::vector<DriverLease> Lanes() {
    const std::string agent = std::string("tenure/") + BuildVersion();
    std::vector<DriverLease> lanes;
    for (const std::string& name : plan_.leases) {
      DriverLease lane;
      lane.name = name;
      lane.options = plan_.authority;
      lane.options.identity = identity_;
      lane.options.jitter_seed = ReadEntropy()[0];
      stores_.push_back(NewLeaseTransport(loop_.context(), access_.source.get(),
                                          name_space_, name, agent));
      lane.store = stores_.back().get();
      if (plan_.settings.watch) {
        watches_.push_back(NewWatchStream(
            [this](std::function<void()> task) {
              return loop_.Post(std::move(task));
            },
            access_.source.get(), name_space_, name, agent, ReadEntropy()[0]));
        lane.watch = watches_.back().get();
      }
      lanes.push_back(std::move(lane));
    }
    return lanes;
  }

  void Note(const std::string& note) const {
    telemetry_->Log(LogLevel::kWarn, "Noted", {{"err", note}});
  }

  const SidecarPlan& plan_;
  const OpenedAccess access_;
  const std::string name_space_;
  const std::string identity_;
  SnapshotBoard board_;
  const std::unique_ptr<Telemetry> telemetry_;
  Loop loop_;
  std::vector<std::unique_ptr<LeaseStore>> stores_;
  std::vector<std::unique_ptr<LeaseWatch>> watches_;
  Driver driver_;
  std::unique_ptr<LocalServer> server_;
};

}  // namespace

int RunSidecar(const SidecarPlan& plan, const Environment& environment) {
  Termination termination;
  const auto refuse = [](const Error& error) {
    PrintProblem(error.message);
    return kExitConfiguration;
  };
  const Result<OpenFiles> files =
      ShareOpenFiles(plan.leases.size(), plan.settings.embedded);
  if (!files) return refuse(files.error());
  Result<OpenedAccess> access =
      OpenAccess(plan.settings, environment, files->embedded);
  if (!access) return refuse(access.error());
  const Result<std::string> name_space = NamespaceOf(plan, *access);
  if (!name_space) return refuse(name_space.error());
  // Never destroyed: its end is _exit, because cpprestsdk's threads may not
  // let go of what they use.
  auto* sidecar =
      new Sidecar(plan, environment, *std::move(access), *name_space);
  if (const Result<void> open = sidecar->Open(files->local); !open) {
    return refuse(open.error());
  }
  // For a person who asked for no less than what is usual.
  const bool as_text =
      ChooseFormat(plan.settings, StderrIsTerminal()) == LogFormat::kText &&
      ChooseLevel(plan.settings) <= LogLevel::kInfo;
  sidecar->Report(as_text);
  return sidecar->Run(&termination);
}

}  // namespace tenure
