#include "sidecar/planning/plan_text.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/instant.h"
#include "sidecar/planning/lease_plan.h"
#include "sidecar/planning/time_text.h"

namespace tenure {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kNoteColumn = 34;

// "  renew interval   +  3 s       since the last renewal was sent"
std::string Row(const char* name, const char* sign, const std::string& value,
                const std::string& note = "") {
  char line[160];
  std::snprintf(line, sizeof line, "  %-17s%-3s%-12s", name, sign,
                value.c_str());
  std::string text = line;
  // Beside a value that fills its column the note takes the next line.
  if (!note.empty() && text.back() != ' ') {
    text += "\n" + std::string(kNoteColumn, ' ');
  }
  text += note;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

Duration LeaseDuration(const LeaseTimes& times) {
  return std::chrono::seconds(times.lease_duration_seconds);
}

std::string MarginNote(const LeasePlan& plan) {
  if (plan.inputs.safety_margin) return "as asked for";
  return "one more try: spacing " +
         TimeText(plan.safety_margin - plan.inputs.max_network_delay) +
         " + network delay";
}

std::string DriftNote(const LeaseTimes& times) {
  const std::string percent = PercentText(times.drift_ppm);
  return times.foreign_contenders
             ? "1 s, and " + percent + " of both clocks: stops early"
             : percent + ": the holder stops early";
}

constexpr char kWorkNote[] = "longest step that must end on one claim";
constexpr char kIntervalNote[] = "since the last renewal was sent";
constexpr char kJitterNote[] = "a tenth of pause and network delay";

std::string Chosen(const LeasePlan& plan) {
  const PlanInputs& in = plan.inputs;
  std::string text = "What must fit on one claim:\n\n";
  text += Row("p99 work", "", TimeText(in.p99_work), kWorkNote);
  text += Row("p99 pause", "+", TimeText(in.p99_pause));
  text += Row("network delay", "+", TimeText(in.max_network_delay));
  text += Row("renew interval", "+", TimeText(plan.times.renew_interval),
              kIntervalNote);
  text +=
      Row("safety margin", "+", TimeText(plan.safety_margin), MarginNote(plan));
  text += Row("minimum", "=", TimeText(plan.minimum));
  text += Row("jitter", "+", TimeText(plan.jitter), kJitterNote);
  text +=
      Row("clock allowance", "+", TimeText(plan.drift), DriftNote(plan.times));
  text +=
      Row("with both", "=", TimeText(plan.minimum + plan.jitter + plan.drift));
  text += Row("lease duration", "->", TimeText(LeaseDuration(plan.times)),
              "rounded up");
  return text;
}

std::string Checked(const LeasePlan& plan) {
  const PlanInputs& in = plan.inputs;
  const Duration lease = LeaseDuration(plan.times);
  std::string text = "What a lease duration of " + TimeText(lease) +
                     " leaves for trouble:\n\n";
  text += Row("lease duration", "", TimeText(lease));
  text += Row("renew interval", "-", TimeText(plan.times.renew_interval),
              kIntervalNote);
  text += Row("p99 work", "-", TimeText(in.p99_work), kWorkNote);
  text += Row("p99 pause", "-", TimeText(in.p99_pause));
  text += Row("network delay", "-", TimeText(in.max_network_delay));
  text += Row("margin", "=", TimeText(plan.margin));
  text += Row("jitter", "-", TimeText(plan.jitter), kJitterNote);
  text +=
      Row("clock allowance", "-", TimeText(plan.drift), DriftNote(plan.times));
  text += Row("left", "=", TimeText(plan.left));
  text +=
      Row("safety margin", "", TimeText(plan.safety_margin), MarginNote(plan));
  return text;
}

std::string Recovery(const LeasePlan& plan) {
  const Duration wait =
      TakeOverWait(plan.times.lease_duration_seconds, plan.times.drift_ppm);
  const std::string delay =
      plan.inputs.max_network_delay == Duration{0}
          ? "a round trip"
          : "a round trip of " + TimeText(plan.inputs.max_network_delay);
  return TimeText(LeaseDuration(plan.times)) + " x (1 + " +
         PercentText(plan.times.drift_ppm) + ") = " + TimeText(wait) + ", + " +
         delay + " = " + TimeText(plan.survival.recovery) +
         " from a dead holder's last renewal until the next one holds";
}

std::string Count(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.0f", std::ceil(value));
  return digits;
}

std::string Requests(const LeasePlan& plan) {
  std::string text = Count(plan.requests_per_hour) +
                     " an hour for each held lease, at most " +
                     Count(plan.most_requests_per_hour) +
                     " as renewals start up to a tenth early";
  if (plan.inputs.leases != 1) {
    const auto leases = static_cast<double>(plan.inputs.leases);
    text += "; for " + std::to_string(plan.inputs.leases) + " leases " +
            Count(leases * plan.requests_per_hour) + ", at most " +
            Count(leases * plan.most_requests_per_hour);
  }
  return text + "; a standby watches and asks for next to nothing";
}

// A name, and a paragraph beside it.
std::string Entry(const std::string& name, const std::string& words) {
  constexpr std::size_t kIndent = 19;
  std::string text = Paragraph(words, kIndent);
  return text.replace(2, name.size(), name);
}

std::string Survives(const LeasePlan& plan) {
  const Survival& s = plan.survival;
  std::string text = "With lease duration " +
                     TimeText(LeaseDuration(plan.times)) + ", renew deadline " +
                     TimeText(plan.times.renew_deadline) + ", renew interval " +
                     TimeText(plan.times.renew_interval) + ":";
  text = Paragraph(text, 0) + "\n";
  text += Entry("API outage", "of " + TimeText(s.outage_held) +
                                  " goes unnoticed; of " +
                                  TimeText(s.outage_claim) +
                                  " the term survives, uncertain meanwhile");
  text += Entry("pause", "of " + TimeText(s.pause_held) +
                             " as a renewal is due goes unnoticed; of " +
                             TimeText(s.pause_claim) +
                             " the term survives; after a longer one others "
                             "may hold");
  text += Entry("stop budget", TimeText(s.stop_budget) +
                                   " from being told to stop to the end of "
                                   "the claim");
  text += Entry("crash", Recovery(plan));
  text += Entry("requests", Requests(plan));
  return text;
}

// "20 s would do", and with which renew deadline where the one that was
// checked leaves the work too little.
std::string WouldDo(const LeasePlan& plan) {
  if (!plan.would_do) return "no lease duration up to 168 h would do";
  std::string text = TimeText(LeaseDuration(*plan.would_do));
  if (!plan.stops_in_time) {
    text += " with renew deadline " + TimeText(plan.would_do->renew_deadline);
  }
  return text + " would do";
}

}  // namespace

std::string PercentText(std::int32_t ppm) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %%", ppm / 10'000.0);
  return text;
}

std::string Paragraph(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::string line(indent, ' ');
  for (std::string word; words >> word;) {
    if (line.size() > indent && line.size() + 1 + word.size() > kColumns) {
      result += line + "\n";
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
  }
  return result + line + "\n";
}

std::string Verdict(const LeasePlan& plan) {
  const std::string lease = TimeText(LeaseDuration(plan.times));
  if (plan.chosen) {
    return "Lease duration: " + TimeText(plan.minimum) + " -> " + lease + ".";
  }
  const std::string left = TimeText(plan.margin) + " of margin, " +
                           TimeText(plan.left) +
                           " of it left after jitter and clock allowance, " +
                           TimeText(plan.safety_margin) + " needed";
  if (plan.enough) return "Enough: " + left + ".";
  // The margin alone would do: it is the deadline that comes too late.
  const bool only_stop = plan.left >= plan.safety_margin;
  const std::string why =
      only_stop ? "stop budget " + TimeText(plan.survival.stop_budget) +
                      ", p99 work " + TimeText(plan.inputs.p99_work) +
                      " that may begin at the renew deadline"
                : left;
  return "Too small: " + why + "; " + WouldDo(plan) + ".";
}

std::string RunFlags(const LeaseTimes& times) {
  const LeaseTimes usual;
  std::string text = "--lease-duration " +
                     std::to_string(times.lease_duration_seconds) +
                     "s --renew-deadline " + FlagText(times.renew_deadline) +
                     " --renew-interval " + FlagText(times.renew_interval);
  if (times.drift_ppm != usual.drift_ppm) {
    char percent[48];
    std::snprintf(percent, sizeof percent, " --drift-allowance %.4g%%",
                  times.drift_ppm / 10'000.0);
    text += percent;
  }
  if (times.foreign_contenders) text += " --foreign-contenders";
  return text;
}

std::string PlanText(const LeasePlan& plan) {
  std::string text = plan.chosen ? Chosen(plan) : Checked(plan);
  text += "\n" + Paragraph(Verdict(plan), 0) + "\n" + Survives(plan);
  for (const std::string& warning : plan.warnings) {
    text += "\n" + Paragraph("Warning: " + warning + ".", 0);
  }
  if (plan.would_do) {
    text += plan.enough ? "\nTo run it:" : "\nTo run what would do:";
    text += "\n\n  tenure run " + RunFlags(*plan.would_do) + "\n";
  }
  return text + "\n" + Paragraph(kFenceNote, 0);
}

}  // namespace tenure
