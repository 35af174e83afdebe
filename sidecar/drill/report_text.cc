#include "sidecar/drill/report_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/drill/event.h"
#include "sidecar/drill/verdict.h"

namespace tenure {
namespace {

using nlohmann::json;

std::size_t Count(const DrillResults& results, DrillOutcome outcome) {
  return static_cast<std::size_t>(
      std::ranges::count_if(results.drills, [&](const DrillResult& drill) {
        return drill.verdict.outcome == outcome;
      }));
}

Duration Took(const DrillResults& results) {
  Duration sum{0};
  for (const DrillResult& drill : results.drills) sum += drill.took;
  return sum;
}

json DrillDocument(const DrillResult& drill) {
  json events = json::array();
  for (const DrillEvent& event : drill.events) {
    events.push_back(json::parse(EventLine(event), nullptr, false));
  }
  json document = {
      {"name", drill.name},
      {"what", drill.what},
      {"outcome", DrillOutcomeName(drill.verdict.outcome)},
      {"why", drill.verdict.why},
      {"seconds", std::chrono::duration<double>(drill.took).count()},
      {"events", events}};
  if (!drill.stale_id.empty()) {
    document["staleWrite"] = {
        {"id", drill.stale_id},
        {"by", drill.verdict.stale_who},
        {"generation", std::to_string(drill.verdict.stale_generation)}};
    document["store"] = {{"token", std::to_string(drill.token)},
                         {"value", drill.value}};
  }
  return document;
}

}  // namespace

int ExitCodeOf(const DrillResults& results) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(results.drills.size());
  for (const DrillResult& drill : results.drills) {
    verdicts.push_back(drill.verdict);
  }
  return DrillExitCode(verdicts);
}

std::string SecondsText(Duration time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s",
                std::chrono::duration<double>(time).count());
  return text.data();
}

std::string DrillSummary(const DrillResults& results) {
  std::string text = "\n";
  for (const DrillResult& drill : results.drills) {
    if (drill.verdict.outcome != DrillOutcome::kSkipped) continue;
    text += "SKIPPED " + drill.name + ": " + drill.verdict.why + "\n";
  }
  for (const DrillResult& drill : results.drills) {
    if (drill.verdict.outcome != DrillOutcome::kFailed) continue;
    text += "FAILED " + drill.name + ": " + drill.verdict.why + "\n";
    if (!drill.value.empty()) {
      text += "  the store now holds: " + drill.value + "\n";
    }
  }
  if (!results.fenced) {
    text +=
        "The fence was off (--unfenced): this is what a lease alone cannot "
        "prevent.\n";
  }
  const auto count = [&](DrillOutcome outcome) {
    return std::to_string(Count(results, outcome)) + " " +
           DrillOutcomeName(outcome);
  };
  return text + count(DrillOutcome::kPassed) + ", " +
         count(DrillOutcome::kFailed) + ", " + count(DrillOutcome::kNothing) +
         ", " + count(DrillOutcome::kSkipped) + " in " +
         SecondsText(Took(results)) + " (store " + results.store +
         ", API server " + results.server + ", preset " + results.preset +
         ")\n";
}

std::string DrillJson(const DrillResults& results) {
  json drills = json::array();
  for (const DrillResult& drill : results.drills) {
    drills.push_back(DrillDocument(drill));
  }
  const json document = {{"fenced", results.fenced},
                         {"contenders", results.contenders},
                         {"preset", results.preset},
                         {"store", results.store},
                         {"apiServer", results.server},
                         {"exitCode", ExitCodeOf(results)},
                         {"drills", drills}};
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string DrillJunit(const DrillResults& results) {
  const auto count = [&](DrillOutcome outcome) {
    return std::to_string(Count(results, outcome));
  };
  std::array<char, 32> seconds{};
  const auto time = [&seconds](Duration took) {
    std::snprintf(seconds.data(), seconds.size(), "%.3f",
                  std::chrono::duration<double>(took).count());
    return std::string(seconds.data());
  };
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"tenure drill\" tests=\"" +
      std::to_string(results.drills.size()) + "\" failures=\"" +
      count(DrillOutcome::kFailed) + "\" errors=\"" +
      count(DrillOutcome::kNothing) + "\" skipped=\"" +
      count(DrillOutcome::kSkipped) + "\" time=\"" + time(Took(results)) +
      "\">\n";
  for (const DrillResult& drill : results.drills) {
    text += "  <testcase classname=\"tenure.drill\" name=\"" +
            Escaped(drill.name) + "\" time=\"" + time(drill.took) + "\"";
    const std::string why = " message=\"" + Escaped(drill.verdict.why) + "\"/>";
    switch (drill.verdict.outcome) {
      case DrillOutcome::kPassed:
        text += "/>\n";
        continue;
      case DrillOutcome::kFailed:
        text += ">\n    <failure" + why;
        break;
      case DrillOutcome::kNothing:
        text += ">\n    <error" + why;
        break;
      case DrillOutcome::kSkipped:
        text += ">\n    <skipped" + why;
        break;
    }
    text += "\n  </testcase>\n";
  }
  return text + "</testsuite>\n";
}

std::string Escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '"') {
      safe += "&quot;";
    } else if (c == '\'') {
      safe += "&#39;";
    } else {
      // What is not ASCII may be half a character.
      safe += byte < 0x20 || byte > 0x7e ? '?' : c;
    }
  }
  return safe;
}

}  // namespace tenure
