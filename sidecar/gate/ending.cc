#include "sidecar/gate/ending.h"

#include <algorithm>
#include <string>

#include "sidecar/gate/exit_codes.h"

namespace tenure {
namespace {

constexpr Duration kAgain = std::chrono::milliseconds(50);

}  // namespace

Ending::Ending(const EndingOptions& options, const Report& grant, int code,
               bool lost)
    : options_(options),
      generation_(grant.generation),
      hold_until_{grant.asked, options.hold_at_least},
      claim_{grant.asked, grant.to_valid_until},
      code_(code) {
  recording_ = record_due_ = !options.once.empty() && code == 0 && !lost;
  if (recording_ && options.told_to_stop != 0) {
    // Many programs end with 0 when they are told to, in the middle.
    GiveUpRecording("it was told to stop by signal " +
                    std::to_string(options.told_to_stop));
    code_ = kGateSignal + options.told_to_stop;
  }
  hold_ = !lost;
}

void Ending::OnReport(const Report& report, const Instant& now) {
  const bool held = report.certainty == Certainty::kHeld;
  const bool ours = held && report.generation == generation_;
  if (recording_ && ours && report.last_run.id == options_.once) {
    recording_ = false;
  }
  if (ours) {
    const Deadline claim{report.asked, report.to_valid_until};
    claim_ = Later(claim_, claim, now);
  } else if (held || report.to_valid_until == Duration{0}) {
    hold_ = false;
    GiveUpRecording("the lease is no longer held");
  }
}

void Ending::OnRunRefused(const std::string& why) { GiveUpRecording(why); }

void Ending::GiveUpRecording(const std::string& why) {
  if (!recording_) return;
  recording_ = record_due_ = false;
  code_ = kGateLost;
  trouble_ = "the command ended well, but run " + options_.once +
             " could not be recorded as done (" + why +
             "); a second start runs it again";
}

void Ending::OnNotSent(const Instant& now) {
  (recording_ ? record_due_ : report_due_) = true;
  again_ = Deadline{now, kAgain};
}

bool Ending::Holding(const Instant& now) const {
  return hold_ && !hold_until_.Passed(now) && !claim_.Passed(now);
}

Ending::Step Ending::Decide(const Instant& now) {
  if (done_) return Step::kEnd;
  if (recording_ && claim_.Passed(now)) {
    GiveUpRecording("no renewal was acknowledged in time");
  }
  if (recording_ || Holding(now)) {
    if (!record_due_ || (again_ && !again_->Passed(now))) return Step::kWait;
    record_due_ = false;
    return Step::kRecord;
  }
  if (!give_up_) give_up_ = Deadline{now, options_.done_limit};
  if (give_up_->Passed(now)) {
    if (trouble_.empty()) {
      // The question may have arrived, and its answer be on its way.
      trouble_ = report_due_
                     ? "the sidecar could not be told that the work is done: "
                       "unless it is gone, it renews until its pod ends"
                     : "the sidecar was told that the work is done, and did "
                       "not confirm it in time: whether it heard it, and so "
                       "may release, is unknown";
    }
    done_ = true;
    return Step::kEnd;
  }
  if (!report_due_ || (again_ && !again_->Passed(now))) return Step::kWait;
  report_due_ = false;
  return Step::kReport;
}

Duration Ending::NextDeadline(const Instant& now) const {
  if (done_) return Duration{0};
  Duration next = Duration::max();
  const auto at = [&](const Deadline& deadline) {
    if (!deadline.Passed(now)) next = std::min(next, deadline.Remaining(now));
  };
  at(claim_);
  at(hold_until_);
  if (again_) at(*again_);
  if (give_up_) at(*give_up_);
  return next;
}

}  // namespace tenure
