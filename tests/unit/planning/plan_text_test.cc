#include "sidecar/planning/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

#include "sidecar/authority/authority_options.h"
#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/instant.h"
#include "sidecar/planning/lease_plan.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LeasePlan Worked() {
  PlanInputs inputs;
  inputs.p99_work = seconds(8);
  inputs.p99_pause = seconds(2);
  inputs.max_network_delay = milliseconds(500);
  inputs.safety_margin = seconds(2);
  LeaseTimes times;
  times.renew_interval = seconds(3);
  return ChoosePlan(inputs, times).value();
}

LeasePlan Tight() {
  PlanInputs inputs;
  inputs.p99_pause = seconds(4);
  inputs.max_network_delay = seconds(1);
  LeaseTimes times;
  times.renew_interval = seconds(3);
  times.lease_duration_seconds = 10;
  return CheckPlan(inputs, WithSuitableDeadline(times, Duration{0}).value());
}

TEST(PlanText, WorksTheSumLineByLine) {
  EXPECT_THAT(
      PlanText(Worked()),
      HasSubstr(
          "  p99 work            8 s         longest step that must end on one "
          "claim\n"
          "  p99 pause        +  2 s\n"
          "  network delay    +  500 ms\n"
          "  renew interval   +  3 s         since the last renewal was sent\n"
          "  safety margin    +  2 s         as asked for\n"
          "  minimum          =  15.5 s\n"
          "  jitter           +  250 ms      a tenth of pause and network "
          "delay\n"
          "  clock allowance  +  200 ms      1 %: the holder stops early\n"
          "  with both        =  15.95 s\n"
          "  lease duration   -> 20 s        rounded up\n"
          "\n"
          "Lease duration: 15.5 s -> 20 s.\n"));
}

TEST(PlanText, ACheckSaysWhatIsMissingAndWhatWouldDo) {
  EXPECT_THAT(PlanText(Tight()),
              AllOf(HasSubstr("  margin           =  2 s\n"),
                    HasSubstr("  left             =  1.4 s\n"),
                    HasSubstr("one more try: spacing 750 ms + network delay"),
                    HasSubstr("Too small: 2 s of margin, 1.4 s of it left "
                              "after jitter and clock allowance,\n1.75 s "
                              "needed; 15 s would do.\n")));
}

TEST(PlanText, AStopBudgetBelowTheWorkIsTooSmallWithWhatWouldDo) {
  PlanInputs inputs;
  inputs.p99_work = seconds(2);
  const LeasePlan plan = CheckPlan(inputs, TimesForPreset("fast").value());
  EXPECT_EQ(Verdict(plan),
            "Too small: stop budget 970 ms, p99 work 2 s that may begin at the "
            "renew deadline; 4 s with renew deadline 1.9 s would do.");
  EXPECT_THAT(PlanText(plan),
              AllOf(HasSubstr("To run what would do:\n\n  tenure run "
                              "--lease-duration 4s --renew-deadline 1.9s "),
                    Not(HasSubstr("--lease-duration 3s"))));
}

TEST(PlanText, NothingIsProposedWhereNothingWouldDo) {
  PlanInputs inputs;
  inputs.p99_work = std::chrono::hours(200);
  const LeasePlan plan = CheckPlan(inputs, TimesForPreset("fast").value());
  EXPECT_THAT(Verdict(plan),
              HasSubstr("no lease duration up to 168 h would do"));
  EXPECT_THAT(PlanText(plan), Not(HasSubstr("tenure run")));
}

TEST(PlanText, ANoteNeverTouchesItsValue) {
  LeaseTimes times;
  times.lease_duration_seconds = 168 * 3600;
  PlanInputs inputs;
  inputs.p99_pause = std::chrono::hours(8000);
  inputs.p99_work = std::chrono::minutes(605) + seconds(7);
  const std::string text =
      PlanText(CheckPlan(inputs, EffectiveTimes(times).value()));
  EXPECT_THAT(text, HasSubstr("  p99 work         -  10 h 5 min 7 s\n"
                              "                                  longest"));
}

TEST(PlanText, SaysWhatIsSurvivedAndWhatItCosts) {
  PlanInputs inputs;
  inputs.leases = 100;
  const std::string text =
      PlanText(CheckPlan(inputs, TimesForPreset("default").value()));
  std::string joined;  // whatever the lines are
  std::istringstream words(text);
  for (std::string word; words >> word;) joined += word + " ";
  EXPECT_THAT(
      joined,
      AllOf(HasSubstr("of 5 s goes unnoticed; of 9.85 s the term survives"),
            HasSubstr("15 s x (1 + 1 %) = 15.15 s, + a round trip"),
            HasSubstr("1800 an hour for each held lease, at most 2000"),
            HasSubstr("for 100 leases 180000, at most 200000")));
}

TEST(PlanText, EveryFormNamesTheFenceAndFitsATerminal) {
  for (const LeasePlan& plan : {Worked(), Tight()}) {
    const std::string text = PlanText(plan);
    EXPECT_THAT(text, HasSubstr("No duration replaces the"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
}

TEST(PlanText, WarningsAreInIt) {
  PlanInputs inputs;
  inputs.job_timeout = seconds(10);
  EXPECT_THAT(PlanText(CheckPlan(inputs, TimesForPreset("default").value())),
              HasSubstr("Warning: lease duration 15 s is not shorter"));
  EXPECT_THAT(PlanText(Worked()), Not(HasSubstr("Warning")));
}

TEST(RunFlags, NameWhatIsNotAsByDefault) {
  EXPECT_EQ(RunFlags(Worked().times),
            "--lease-duration 20s --renew-deadline 11.8s --renew-interval 3s");
  LeaseTimes times;
  times.drift_ppm = 25'000;
  times.foreign_contenders = true;
  EXPECT_EQ(RunFlags(times),
            "--lease-duration 15s --renew-deadline 10s --renew-interval 2s "
            "--drift-allowance 2.5% --foreign-contenders");
}

TEST(Paragraph, KeepsAWordThatIsTooLong) {
  const std::string word(100, 'x');
  EXPECT_EQ(Paragraph("a " + word + " b", 2), "  a\n  " + word + "\n  b\n");
}

}  // namespace
}  // namespace tenure
