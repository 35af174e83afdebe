#include "sidecar/drill/contender.h"

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/gate/descendants.h"

namespace tenure {
namespace {

constexpr Duration kBeforeRestart = std::chrono::milliseconds(200);

}  // namespace

Contender::Contender(std::string folder, SignalState signals,
                     WriterOptions writer)
    : folder_(std::move(folder)),
      signals_(signals),
      writer_options_(std::move(writer)),
      link_(Path(".status")) {}

Result<void> Contender::StartSidecar(
    const std::vector<std::string>& run_flags,
    std::vector<std::pair<std::string, std::string>> environment) {
  ChildOrder order;
  order.words = {"run",
                 "--pod-name",
                 name(),
                 "--status-socket",
                 Path(".status"),
                 "--control-socket",
                 Path(".control"),
                 "--control-socket-mode",
                 "0600",
                 "--status-tcp=false",
                 "--probe=false",
                 "--log-level",
                 "warn",
                 "--log-format",
                 "text"};
  order.words.insert(order.words.end(), run_flags.begin(), run_flags.end());
  order.environment = std::move(environment);
  order.log = Path(".sidecar.log");
  order.signals = signals_;
  const Result<Child> child = StartChild(order);
  if (!child) return std::unexpected(child.error());
  sidecar_ = child->pid;
  return {};
}

Result<void> Contender::StartWrapper() {
  ChildOrder order;
  order.words = {
      "exec",           "--control-socket", Path(".control"),
      "--socket",       Path(".status"),    "--",
      "/proc/self/exe", "drill-writer",     WriterOptionsText(writer_options_)};
  order.log = Path(".exec.log");
  order.signals = signals_;
  const Result<Child> child = StartChild(order);
  if (!child) return std::unexpected(child.error());
  wrapper_ = child->pid;
  return {};
}

std::optional<DrillEvent> Contender::Ask(const Instant& now) {
  if (link_.waiting() || frozen_) return std::nullopt;
  if (sidecar_ == 0 || !link_.Ask("GET", "/v1/status")) {
    return Hear(std::nullopt, now);
  }
  asked_ = now;
  return std::nullopt;
}

std::optional<DrillEvent> Contender::Receive(const Instant& now) {
  const auto got = link_.Receive();
  // What it had answered before it was stopped, and that was read only now.
  if (!got || frozen_) return std::nullopt;
  if (*got && (*got)->status == 200) {
    if (auto report = ReadReport((*got)->body, asked_)) {
      return Hear(*std::move(report), now);
    }
  }
  // A connection that ended is made anew by the next question, if anybody is
  // there.
  return std::nullopt;
}

std::optional<DrillEvent> Contender::Hear(std::optional<Report> report,
                                          const Instant& now) {
  const bool same = report.has_value() == report_.has_value() &&
                    (!report || (report->certainty == report_->certainty &&
                                 report->generation == report_->generation));
  DrillEvent event;
  event.at = now.boot;
  event.before = last_asked_.boot;
  event.who = name();
  event.kind = DrillEventKind::kCertainty;
  if (report) {
    event.text = CertaintyName(report->certainty);
    event.generation = report->generation;
    last_asked_ = asked_;
  }
  report_ = std::move(report);
  if (same) return std::nullopt;
  return event;
}

void Contender::Freeze() {
  frozen_ = true;
  ::kill(wrapper_, SIGSTOP);
  SignalDescendants(wrapper_, {}, SIGSTOP);
  ::kill(sidecar_, SIGSTOP);
  // What it answered before is no answer any more.
  report_.reset();
}

void Contender::ResumeWriter(pid_t writer) {
  SignalDescendants(writer, {}, SIGCONT);
  ::kill(writer, SIGCONT);
}

void Contender::ResumeGuards() {
  frozen_ = false;
  SignalDescendants(wrapper_, {}, SIGCONT);
  ::kill(wrapper_, SIGCONT);
  ::kill(sidecar_, SIGCONT);
}

void Contender::Kill() {
  restarts_ = false;
  if (sidecar_ != 0) ::kill(sidecar_, SIGKILL);
  if (wrapper_ != 0) ::kill(wrapper_, SIGKILL);
}

void Contender::StopWork(pid_t writer) {
  restarts_ = false;
  if (frozen_) ResumeGuards();
  if (writer != 0) {
    ::kill(writer, SIGKILL);
  } else if (wrapper_ != 0) {
    ::kill(wrapper_, SIGTERM);
  }
}

void Contender::StopSidecar() {
  if (sidecar_ != 0) ::kill(sidecar_, SIGTERM);
}

Result<void> Contender::LookAfter(const Instant& now) {
  if (wrapper_ != 0 && ::waitpid(wrapper_, nullptr, WNOHANG) == wrapper_) {
    wrapper_ = 0;
    restart_at_ = Deadline{now, kBeforeRestart};
  }
  if (sidecar_ != 0 && ::waitpid(sidecar_, nullptr, WNOHANG) == sidecar_) {
    sidecar_ = 0;
    if (restarts_) {
      return Fail(ErrorCode::kUnavailable,
                  "expected the sidecar of " + name() +
                      " to run, found that it ended: " +
                      LastLine(Path(".sidecar.log")));
    }
  }
  if (restarts_ && !frozen_ && restart_at_ && restart_at_->Passed(now)) {
    restart_at_.reset();
    return StartWrapper();
  }
  return {};
}

}  // namespace tenure
