#include "sidecar/drill/report_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/drill/story.h"

namespace tenure {
namespace {

using story::kStale;
using story::Pause;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

DrillResults Drilled(StoreOutcome outcome) {
  auto events = Pause(outcome, 9);
  Verdict verdict = Judge(events, kStale, "");
  return story::Results({story::Result(std::move(events), verdict)});
}

TEST(DrillPage, LoadsAndRunsNothing) {
  const std::string page = DrillPage(Drilled(StoreOutcome::kRefused));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("src=")),
                          Not(HasSubstr("http://")), Not(HasSubstr("https://")),
                          Not(HasSubstr("@import"))));
  EXPECT_THAT(page, AllOf(HasSubstr("prefers-color-scheme:dark"),
                          HasSubstr("@media print")));
}

TEST(DrillPage, SaysWhatCameOfIt) {
  EXPECT_THAT(DrillPage(Drilled(StoreOutcome::kRefused)),
              AllOf(HasSubstr("The store refused every stale write"),
                    HasSubstr("badge passed"), HasSubstr("<svg viewBox")));
  DrillResults unfenced = Drilled(StoreOutcome::kAccepted);
  unfenced.fenced = false;
  EXPECT_THAT(DrillPage(unfenced),
              AllOf(HasSubstr("Without a fence, a stale holder writes"),
                    HasSubstr("badge failed"), HasSubstr("without its fence")));
}

TEST(DrillPage, TextFromOutsideIsNoMarkup) {
  DrillResults results = Drilled(StoreOutcome::kRefused);
  results.store = "<b>";
  results.drills[0].value = "<i>";
  results.drills[0].verdict.why = "<u>";
  results.drills[0].events[2].op = "<s>";
  const std::string page = DrillPage(results);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("<i>")),
                          Not(HasSubstr("<u>")), Not(HasSubstr("<s>"))));
}

TEST(DrillPage, ASkippedDrillHasNoPicture) {
  DrillResult skipped;
  skipped.name = "clock-step";
  skipped.verdict.outcome = DrillOutcome::kSkipped;
  skipped.verdict.why = "no libfaketime";
  const std::string page = DrillPage(story::Results({skipped}));
  EXPECT_THAT(page, AllOf(HasSubstr("no libfaketime"),
                          Not(HasSubstr("class=\"tick\""))));
}

}  // namespace
}  // namespace tenure
