#include "sidecar/drill/report_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/drill/story.h"

namespace tenure {
namespace {

using story::kStale;
using story::Pause;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

DrillResult Judged(StoreOutcome outcome) {
  auto events = Pause(outcome, 9);
  Verdict verdict = Judge(events, kStale, "");
  return story::Result(std::move(events), std::move(verdict));
}

DrillResult Skipped(const std::string& why) {
  DrillResult result;
  result.name = "clock-step";
  result.verdict.outcome = DrillOutcome::kSkipped;
  result.verdict.why = why;
  return result;
}

TEST(DrillSummary, CountsAndNamesWhatWasSkipped) {
  EXPECT_EQ(DrillSummary(story::Results(
                {Judged(StoreOutcome::kRefused), Skipped("no libfaketime")})),
            "\nSKIPPED clock-step: no libfaketime\n"
            "1 passed, 0 failed, 0 no verdict, 1 skipped in 6.0 s (store "
            "SQLite, API server embedded, preset fast)\n");
}

TEST(DrillSummary, SaysPlainlyThatTheFenceWasOff) {
  DrillResults results = story::Results({Judged(StoreOutcome::kAccepted)});
  results.fenced = false;
  EXPECT_THAT(DrillSummary(results),
              AllOf(HasSubstr("FAILED pause: the store ACCEPTED a stale write"),
                    HasSubstr("The fence was off"),
                    HasSubstr("the store now holds: write 1 of two")));
}

TEST(DrillJson, HasVerdictsAndEveryEvent) {
  const auto document = nlohmann::json::parse(
      DrillJson(story::Results({Judged(StoreOutcome::kRefused)})));
  EXPECT_EQ(document["exitCode"], 0);
  const auto& drill = document["drills"][0];
  EXPECT_EQ(drill["outcome"], "passed");
  EXPECT_EQ(drill["staleWrite"]["generation"], "3");
  EXPECT_EQ(drill["store"]["token"], "9");
  EXPECT_EQ(drill["events"].size(), Pause(StoreOutcome::kRefused, 9).size());
}

TEST(DrillJunit, HasOneCaseForEachDrill) {
  DrillResult broken = Judged(StoreOutcome::kUnknown);
  const std::string text = DrillJunit(story::Results(
      {Judged(StoreOutcome::kRefused), Judged(StoreOutcome::kAccepted), broken,
       Skipped("a <tag> & \"quotes\"\n")}));
  EXPECT_THAT(text, HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\" "
                              "skipped=\"1\" time=\"18.000\""));
  EXPECT_THAT(text, HasSubstr("<failure message="));
  EXPECT_THAT(text, HasSubstr("<error message="));
  EXPECT_THAT(text, HasSubstr("<skipped message=\"a &lt;tag&gt; &amp; "
                              "&quot;quotes&quot;?\"/>"));
  EXPECT_THAT(text, Not(HasSubstr("<tag>")));
}

TEST(Escaped, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(Escaped("<a href='x'>&\"\x01\xc3\xa9</a>"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;???&lt;/a&gt;");
}

}  // namespace
}  // namespace tenure
