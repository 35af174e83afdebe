#include "sidecar/drill/drill_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sidecar/drill/late_requests.h"
#include "sidecar/drill/scripts.h"
#include "sidecar/drill/stage.h"
#include "sidecar/gate/signals.h"

namespace tenure {
namespace {

DrillResult RunOne(const Drill& drill, const DrillOptions& options,
                   SignalSource* signals, int* interrupted) {
  DrillResult result;
  result.name = drill.name;
  result.what = drill.what;
  Stage stage(options, drill.name, signals);
  std::string trouble;
  if (const auto ok = stage.Open(); !ok) {
    trouble = ok.error().message;
  } else if (const auto id = drill.run(&stage); id) {
    result.stale_id = *id;
    if (options.fenced) DeliverTheRest(&stage, *id);
  } else {
    trouble = id.error().message;
  }
  result.took = stage.Now();
  result.events = stage.events();
  *interrupted = stage.interrupted();
  result.verdict = Judge(result.events, result.stale_id, trouble);
  if (!result.stale_id.empty()) {
    const StoreAnswer now = stage.AskStore({});
    result.value = now.value;
    result.token = now.token;
  }
  stage.Close();
  return result;
}

}  // namespace

DrillResults RunDrills(const DrillOptions& options) {
  DrillResults results;
  results.fenced = options.fenced;
  results.contenders = options.contenders;
  results.preset = options.preset;
  results.server = options.embedded ? "embedded" : "given";
  results.store =
      options.store ? options.store->url.substr(0, options.store->url.find(':'))
                    : "SQLite";
  SignalSource signals;
  for (const std::string& name : options.drills) {
    const auto drill = std::ranges::find_if(
        Drills(), [&](const Drill& known) { return name == known.name; });
    if (drill == Drills().end()) continue;
    if (options.narrate) {
      options.narrate(name + ": " + drill->what);
    }
    std::string why = WhySkipped(*drill, options);
    DrillResult result;
    if (!why.empty()) {
      result.name = name;
      result.what = drill->what;
      result.verdict.outcome = DrillOutcome::kSkipped;
      result.verdict.why = std::move(why);
    } else {
      result = RunOne(*drill, options, &signals, &results.interrupted);
    }
    if (options.narrate) {
      options.narrate(std::string("  ") +
                      DrillOutcomeName(result.verdict.outcome) + ": " +
                      result.verdict.why);
    }
    results.drills.push_back(std::move(result));
    if (results.interrupted != 0) break;
  }
  return results;
}

}  // namespace tenure
