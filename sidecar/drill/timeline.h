// The picture of one drill: who held when and how certain that was, each write
// with its generation, and what the store made of it.
//
// Thread safety: pure functions.
// Invariants: nothing that came from outside is markup.
#ifndef TENURE_DRILL_TIMELINE_H_
#define TENURE_DRILL_TIMELINE_H_

#include <string>
#include <vector>

#include "sidecar/drill/drill_run.h"
#include "sidecar/drill/event.h"

namespace tenure {

// The events that a person reads: numbered in the picture, told below it.
std::vector<DrillEvent> Steps(const std::vector<DrillEvent>& events);

// One <svg>; its colours and patterns are those of the page (report_html.cc).
std::string TimelineSvg(const DrillResult& drill);

}  // namespace tenure

#endif  // TENURE_DRILL_TIMELINE_H_
