#include "sidecar/drill/report_html.h"

#include <string>
#include <vector>

#include "sidecar/drill/event.h"
#include "sidecar/drill/page_style.h"
#include "sidecar/drill/report_text.h"
#include "sidecar/drill/timeline.h"
#include "sidecar/drill/verdict.h"

namespace tenure {
namespace {

std::string OutcomeClass(DrillOutcome outcome) {
  return outcome == DrillOutcome::kNothing ? "nothing"
                                           : DrillOutcomeName(outcome);
}

std::string Badge(DrillOutcome outcome) {
  return "<span class=\"badge " + OutcomeClass(outcome) + "\">" +
         DrillOutcomeName(outcome) + "</span>";
}

// Of all drills together, as the exit code has it.
DrillOutcome Overall(const DrillResults& results) {
  switch (ExitCodeOf(results)) {
    case 0:
      return DrillOutcome::kPassed;
    case 1:
      return DrillOutcome::kFailed;
    case 3:
      return DrillOutcome::kSkipped;
    default:
      return DrillOutcome::kNothing;
  }
}

const char* Headline(const DrillResults& results) {
  switch (Overall(results)) {
    case DrillOutcome::kPassed:
      return "The store refused every stale write";
    case DrillOutcome::kFailed:
      return results.fenced ? "A stale holder was not stopped"
                            : "Without a fence, a stale holder writes";
    case DrillOutcome::kSkipped:
      return "What could be run passed; some drills were skipped";
    case DrillOutcome::kNothing:
      return "A drill came to no verdict";
  }
  return "";
}

std::string StepList(const DrillResult& drill) {
  std::string text = "<ol class=\"steps\">\n";
  for (const DrillEvent& step : Steps(drill.events)) {
    text += std::string("<li") +
            (step.kind == DrillEventKind::kFault ? " class=\"fault\"" : "") +
            "><time>" + SecondsText(step.at) + "</time>" + Escaped(step.text) +
            "</li>\n";
  }
  return text + "</ol>\n";
}

std::string AttemptTable(const DrillResult& drill) {
  std::string text =
      "<details><summary>Every request to the store</summary><table>"
      "<tr><th>at</th><th>who</th><th>what</th><th>generation</th>"
      "<th>answer</th><th>the store knows</th></tr>\n";
  for (const Attempt& attempt : Attempts(drill.events)) {
    const std::string outcome = OutcomeName(attempt.outcome);
    const auto cell = [&text](const std::string& inside) {
      text += "<td>";
      text += inside;
      text += "</td>";
    };
    text += "<tr>";
    cell(SecondsText(attempt.tried));
    cell(Escaped(attempt.who));
    cell(Escaped(attempt.op));
    cell(std::to_string(attempt.generation));
    text += "<td class=\"";
    text += outcome;
    text += "\">";
    text += outcome;
    text += "</td>";
    cell(std::to_string(attempt.token));
    text += "</tr>\n";
  }
  return text + "</table></details>\n";
}

std::string Section(const DrillResult& drill) {
  std::string text =
      "<section class=\"drill\" id=\"" + Escaped(drill.name) +
      "\"><div class=\"head\"><h2>" + Escaped(drill.name) + "</h2>" +
      Badge(drill.verdict.outcome) + "<span class=\"soft\">" +
      Escaped(drill.what) + "; " + SecondsText(drill.took) + "</span></div>\n" +
      "<p class=\"why\">" + Escaped(drill.verdict.why) + "</p>\n";
  if (!drill.events.empty()) {
    text += TimelineSvg(drill) + StepList(drill) + AttemptTable(drill);
  }
  if (!drill.value.empty()) {
    text += "<p class=\"soft\">The store holds in the end: " +
            Escaped(drill.value) + "</p>\n";
  }
  return text + "</section>\n";
}

}  // namespace

std::string DrillPage(const DrillResults& results) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'; img-src data:\">"
      "<link rel=\"icon\" href=\"data:,\">"
      "<title>tenure drill</title><style>" +
      std::string(kPageStyle) + "</style></head><body>\n" + kPagePatterns +
      "<div class=\"head\"><h1>" + Headline(results) + "</h1>" +
      Badge(Overall(results)) + "</div>\n<p class=\"soft\">tenure drill, " +
      std::to_string(results.contenders) + " contenders, preset " +
      Escaped(results.preset) + ", store " + Escaped(results.store) +
      (results.fenced ? "" : " without its fence") + ", API server " +
      Escaped(results.server) +
      ". All times are of one machine's boot clock.</p>\n" + kPageLegend;
  for (const DrillResult& drill : results.drills) text += Section(drill);
  return text +
         "<p class=\"soft\">A drill passes only if a write of an earlier "
         "generation was really tried on a store that knew a later one, and "
         "the store refused it for that.</p>\n</body></html>\n";
}

}  // namespace tenure
