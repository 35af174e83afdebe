// The drills: what each does to the contenders until a write of an earlier
// generation meets a store that knows a newer one.
//
// Thread safety: the main thread of a process that has no other: it forks.
#ifndef TENURE_DRILL_SCRIPTS_H_
#define TENURE_DRILL_SCRIPTS_H_

#include <span>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/drill/options.h"
#include "sidecar/drill/stage.h"

namespace tenure {

struct Drill {
  const char* name;
  const char* what;  // one line for a person
  // What it needs of the API server that only the embedded one has; nullptr:
  // any will do.
  const char* needs_embedded;
  bool needs_faketime;
  // The id of the write that must be refused.
  Result<std::string> (*run)(Stage* stage);
};

std::span<const Drill> Drills();

// Why `drill` cannot be run with these options; "": it can.
std::string WhySkipped(const Drill& drill, const DrillOptions& options);

}  // namespace tenure

#endif  // TENURE_DRILL_SCRIPTS_H_
