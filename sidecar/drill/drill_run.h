// RunDrills: one drill after another, each on a stage of its own, and what came
// of them.
//
// Thread safety: the main thread of a process that has no other: it forks.
#ifndef TENURE_DRILL_DRILL_RUN_H_
#define TENURE_DRILL_DRILL_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/drill/event.h"
#include "sidecar/drill/options.h"
#include "sidecar/drill/verdict.h"

namespace tenure {

struct DrillResult {
  std::string name;
  std::string what;
  Verdict verdict;
  Duration took{0};
  std::string stale_id;
  std::vector<DrillEvent> events;
  // What the store holds at the end.
  std::string value;
  std::int64_t token = 0;
};

struct DrillResults {
  std::vector<DrillResult> drills;
  bool fenced = true;
  std::size_t contenders = 0;
  std::string preset;
  std::string store;    // "SQLite", or the URL's scheme
  std::string server;   // "embedded", or "given"
  int interrupted = 0;  // the signal; 0: none
};

// REQUIRES: each name in `options.drills` is one of Drills().
DrillResults RunDrills(const DrillOptions& options);

}  // namespace tenure

#endif  // TENURE_DRILL_DRILL_RUN_H_
