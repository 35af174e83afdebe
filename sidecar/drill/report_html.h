// What came of drills as one page: a picture of each, and what it shows.
//
// Thread safety: pure functions.
// Invariants: the page loads nothing, runs no script, and prints well.
#ifndef TENURE_DRILL_REPORT_HTML_H_
#define TENURE_DRILL_REPORT_HTML_H_

#include <string>

#include "sidecar/drill/drill_run.h"

namespace tenure {

std::string DrillPage(const DrillResults& results);

}  // namespace tenure

#endif  // TENURE_DRILL_REPORT_HTML_H_
