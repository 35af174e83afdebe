#include "sidecar/gate/guard.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

constexpr std::size_t kMaxSignals = 64;

Deadline DoubtAt(const Report& report) {
  return Deadline{report.asked, report.to_renew_by};
}

Duration MostMargin(const Report& report) {
  return std::max(report.to_valid_until - report.to_renew_by, Duration{0}) / 2;
}

Deadline KillAt(const Report& report, Duration margin) {
  return Deadline{report.asked, report.to_valid_until -
                                    std::min(std::max(margin, kLeastKillMargin),
                                             MostMargin(report))};
}

std::string WholeMs(Duration value) {
  return std::to_string(value / std::chrono::milliseconds(1)) + " ms";
}

}  // namespace

std::string ShortenedMargin(const GuardOptions& options, const Report& grant) {
  // The report's times are whole milliseconds, rounded down.
  const Duration most = MostMargin(grant) + std::chrono::milliseconds(1);
  if (options.kill_margin <= most ||
      options.kill_margin == GuardOptions{}.kill_margin) {
    return "";
  }
  return "--kill-margin: expected at most half of the time between the renew "
         "deadline and the end of the claim, " +
         WholeMs(MostMargin(grant)) + ", found " +
         WholeMs(options.kill_margin) + "; used " + WholeMs(MostMargin(grant));
}

Guard::Guard(const GuardOptions& options, const Report& grant)
    : options_(options),
      generation_(grant.generation),
      doubt_at_(DoubtAt(grant)),
      kill_at_(KillAt(grant, options.kill_margin)) {
  CHECK(grant.certainty == Certainty::kHeld && grant.generation > 0);
}

bool Guard::Firm() const {
  return told_ || killing_ || gone_ || !loss_.empty() || exit_code_;
}

// What follows from time alone, before anything that was said is looked at: a
// guard that was stopped finds the deadline passed, not a report to go on with.
void Guard::PassTime(const Instant& now) {
  if (gone_) return;
  if (kill_at_.Passed(now) && !killing_) {
    if (!exit_code_) Lose("the claim ended");
    killing_ = true;
  }
  if (sweep_at_ && sweep_at_->Passed(now)) killing_ = true;
  if (doubt_at_.Passed(now)) Doubt("no renewal was acknowledged in time");
  if (clock_doubt_ && clock_doubt_->Passed(now)) {
    Doubt("the sidecar doubts its clocks");
  }
}

void Guard::Doubt(const std::string& why) {
  if (Firm()) return;
  switch (options_.on_uncertain) {
    case OnUncertain::kStop:
      loss_ = why;
      told_ = true;
      orders_.to_group.push_back(SIGTERM);
      return;
    case OnUncertain::kPause:
      if (!paused_) orders_.to_all.push_back(SIGSTOP);
      paused_ = true;
      return;
    case OnUncertain::kIgnore:
      return;
  }
}

// For good: nothing that is said later gives it back (S6).
void Guard::Lose(const std::string& why) {
  if (loss_.empty()) loss_ = why;
  if (told_ || killing_) return;
  if (options_.on_uncertain == OnUncertain::kStop) {
    told_ = true;
    orders_.to_group.push_back(SIGTERM);
  } else if (options_.on_uncertain == OnUncertain::kPause) {
    // Nothing can let it go on, so there is nothing to wait for.
    killing_ = true;
  }
}

void Guard::OnReport(const Report& report, const Instant& now) {
  PassTime(now);
  if (Firm()) return;
  switch (report.certainty) {
    case Certainty::kHeld:
      if (report.generation == generation_) {
        Extend(report, now);
      } else {
        Lose("generation " + std::to_string(generation_) + " was followed by " +
             std::to_string(report.generation));
      }
      return;
    case Certainty::kStandby:
      Lose("the lease is no longer held");
      return;
    case Certainty::kUncertain:
      // Without a claim that still runs, the term is over.
      if (report.to_valid_until == Duration{0}) {
        Lose("the sidecar no longer claims the lease");
      } else if (report.reason == "clock") {
        if (!clock_doubt_) clock_doubt_ = Deadline{now, report.try_limit};
      } else {
        Doubt("the sidecar is uncertain");
      }
      return;
  }
}

void Guard::Extend(const Report& report, const Instant& now) {
  const Deadline doubt = DoubtAt(report);
  const Deadline kill = KillAt(report, options_.kill_margin);
  // Each report is a lower bound of the truth; one that took long on its way
  // is a worse one.
  doubt_at_ = Later(doubt_at_, doubt, now);
  kill_at_ = Later(kill_at_, kill, now);
  if (doubt_at_.Passed(now)) return;  // it was held, but is it still?
  clock_doubt_.reset();
  if (paused_) orders_.to_all.push_back(SIGCONT);
  paused_ = false;
}

void Guard::OnSignal(int signal) {
  if (signals_.size() < kMaxSignals) signals_.push_back(signal);
}

void Guard::OnExit(int code, const Instant& now) {
  PassTime(now);
  if (exit_code_ || gone_) return;
  exit_code_ = code;
  sweep_at_ = Deadline{now, options_.sweep_grace};
  orders_.to_all.push_back(SIGTERM);
  // What is paused may not act on it.
  if (paused_) killing_ = true;
}

void Guard::OnGone() {
  gone_ = true;
  orders_ = {};
}

GuardOrders Guard::Decide(const Instant& now) {
  PassTime(now);
  if (gone_) return {};
  for (const int signal : signals_) {
    // Only certainty lets a paused command go on.
    if (paused_ && signal == SIGCONT) continue;
    orders_.to_group.push_back(signal);
  }
  signals_.clear();
  if (exit_code_) orders_.to_group.clear();  // its group may be another's now
  orders_.kill = killing_;
  return std::exchange(orders_, {});
}

Duration Guard::NextDeadline(const Instant& now) const {
  constexpr Duration kAgain = std::chrono::milliseconds(10);
  if (gone_) return Duration::max();
  if (killing_) return kAgain;
  if (!orders_.to_group.empty() || !orders_.to_all.empty() ||
      !signals_.empty()) {
    return Duration{0};
  }
  Duration next = kill_at_.Remaining(now);
  if (sweep_at_) next = std::min(next, sweep_at_->Remaining(now));
  if (!Firm() && !paused_ && options_.on_uncertain != OnUncertain::kIgnore) {
    next = std::min(next, doubt_at_.Remaining(now));
    if (clock_doubt_) next = std::min(next, clock_doubt_->Remaining(now));
  }
  return next;
}

Duration Guard::Certain(const Instant& now) const {
  return Firm() ? Duration::max() : doubt_at_.Remaining(now);
}

}  // namespace tenure
