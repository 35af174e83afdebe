#include "sidecar/gate/waiter.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>

namespace tenure {
namespace {

// One that lives answers within milliseconds. Where several leases are taken
// in turn the last may get a timeout of less, and then its silence says
// nothing.
constexpr Duration kSilence = std::chrono::milliseconds(250);

// "1500 ms" or "15 s".
std::string Readable(Duration duration) {
  const auto ms =
      std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s"
                        : std::to_string(ms) + " ms";
}

// Names come from other programs' records: nothing of them may steer a
// terminal.
std::string Plain(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

}  // namespace

bool EndsPrograms(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
         signal == SIGQUIT;
}

Duration Waiter::TimeLeft(const Instant& now) const {
  if (options_.timeout == Duration{0}) return Duration::max();
  return Deadline{start_, options_.timeout}.Remaining(now);
}

Waiter::Waiter(const WaiterOptions& options, const Instant& now)
    : options_(options), start_(now), reached_(now) {}

void Waiter::OnReport(const Report& report) {
  report_ = report;
  reached_ = report.asked;
  unreachable_.clear();
  if (!options_.once.empty()) Judge(report);
  // A draining sidecar takes no new work, and doubt begins at renew_by.
  work_due_ = report.certainty == Certainty::kHeld && !report.draining &&
              report.to_renew_by > Duration{0} && !UnderWay();
}

// What another start of the same run does comes first: it may yet record it.
bool Waiter::UnderWay() const {
  return !options_.once.empty() && report_ &&
         std::ranges::find(report_->runs_under_way, options_.once) !=
             report_->runs_under_way.end();
}

// Who holds the lease does not matter for what is recorded: it stays.
void Waiter::Judge(const Report& report) {
  if (report.slot) {
    judged_ = GiveUp{kGateUsage,
                     "--once: expected a lease that is always the same, found "
                     "any of several slots, each with a record of its own; "
                     "nothing was run"};
    return;
  }
  const LastRun& last = report.last_run;
  switch (JudgeRun(options_.once, last)) {
    case RunVerdict::kNew:
      return;
    case RunVerdict::kDone:
      judged_ = GiveUp{
          0, "run " + options_.once + " is recorded as done; nothing was run"};
      return;
    case RunVerdict::kNotNewer:
      judged_ = GiveUp{kGateUsage,
                       "expected a run newer than " +
                           NewestLike(options_.once, last) + ", found " +
                           options_.once +
                           ", and whether that was done is no longer known; "
                           "nothing was run; to run it all the same, delete "
                           "the Lease's annotations tenure.dev/last-run-id "
                           "and tenure.dev/last-run-order"};
      return;
  }
}

void Waiter::OnUnreachable(const std::string& why, const Instant& now) {
  if (unreachable_.empty()) reached_ = now;
  unreachable_ = Plain(why);
  work_due_ = false;
}

void Waiter::OnRefused(const std::string& why) { refused_ = Plain(why); }

void Waiter::OnWorkRefused(const std::string& why) {
  work_refused_ = Plain(why);
}

void Waiter::OnSignal(int signal) {
  // The others mean something to a command only, and none runs.
  if (EndsPrograms(signal)) signal_ = signal;
}

std::optional<std::int64_t> Waiter::TakeWork() {
  if (!work_due_ || signal_ != 0 || judged_) return std::nullopt;
  work_due_ = false;
  return report_->generation;
}

std::optional<GiveUp> Waiter::Decide(const Instant& now) const {
  if (signal_ != 0) {
    return GiveUp{kGateSignal + signal_, "stopped by signal " +
                                             std::to_string(signal_) +
                                             " while waiting for the lease"};
  }
  if (judged_) return judged_;
  if (!refused_.empty()) {
    return GiveUp{kGateUsage, "the sidecar refused the question: " + refused_};
  }
  const bool out_of_time = options_.timeout > Duration{0} &&
                           Deadline{start_, options_.timeout}.Passed(now);
  if (!unreachable_.empty() && !options_.own_sidecar &&
      (out_of_time || Deadline{reached_, options_.reach}.Passed(now))) {
    return GiveUp{kGateUnreachable, unreachable_};
  }
  if (report_ && report_->forbidden) {
    return GiveUp{kGateForbidden, Plain(report_->refusal)};
  }
  if (out_of_time) return OutOfTime();
  return std::nullopt;
}

bool Waiter::NoServer() const {
  return report_ && report_->certainty == Certainty::kUncertain &&
         !report_->server_error.empty();
}

std::string Waiter::Situation() const {
  if (!report_ && options_.own_sidecar) {
    return "its own sidecar was still starting";
  }
  if (!report_) return "the sidecar has not answered";
  if (!report_->refusal.empty()) return Plain(report_->refusal);
  switch (report_->certainty) {
    case Certainty::kHeld:
      if (report_->draining) {
        return "the sidecar is being stopped and takes no new work";
      }
      if (UnderWay()) {
        return "run " + options_.once +
               " is under way: another start of it is not over";
      }
      return work_refused_.empty() ? "it was held only just now"
                                   : work_refused_;
    case Certainty::kStandby: {
      if (report_->holder.empty()) return "nobody holds it yet";
      std::string text = "held by " + Plain(report_->holder);
      if (report_->holder_generation > 0) {
        text += ", generation " + std::to_string(report_->holder_generation);
      }
      return text;
    }
    case Certainty::kUncertain:
      if (NoServer()) {
        return "no answer from the API server: " + Plain(report_->server_error);
      }
      return "the sidecar is uncertain" +
             (report_->reason.empty() ? ""
                                      : " (" + Plain(report_->reason) + ")");
  }
  return "";
}

GiveUp Waiter::OutOfTime() const {
  if (!report_ && !options_.own_sidecar && options_.timeout >= kSilence) {
    return GiveUp{kGateUnreachable, "expected the sidecar to answer within " +
                                        Readable(options_.timeout) +
                                        ", found silence: it may be stopped"};
  }
  std::string text = "expected to hold the lease within " +
                     Readable(options_.timeout) + ", found: " + Situation();
  // No patience helps where nothing answers.
  if (report_ && !NoServer() && options_.timeout < report_->take_over) {
    text += "; a holder that died is waited for " +
            Readable(report_->take_over) +
            ", so this timeout could never take over from one: use a longer "
            "--timeout";
  }
  return GiveUp{options_.not_obtained, text};
}

Duration Waiter::NextDeadline(const Instant& now) const {
  Duration next = TimeLeft(now);
  if (!unreachable_.empty() && !options_.own_sidecar) {
    next = std::min(next, Deadline{reached_, options_.reach}.Remaining(now));
  }
  return next;
}

}  // namespace tenure
