// What came of drills as text, JSON and JUnit's XML.
//
// Thread safety: pure functions.
#ifndef TENURE_DRILL_REPORT_TEXT_H_
#define TENURE_DRILL_REPORT_TEXT_H_

#include <string>
#include <string_view>

#include "sidecar/drill/drill_run.h"

namespace tenure {

// 0 to 3: DrillExitCode.
int ExitCodeOf(const DrillResults& results);

// A few closing lines; the steps were printed as they happened.
std::string DrillSummary(const DrillResults& results);
std::string DrillJson(const DrillResults& results);
std::string DrillJunit(const DrillResults& results);

// For XML and HTML, in attributes too. What neither may hold becomes "?".
std::string Escaped(std::string_view text);

// "8.1 s".
std::string SecondsText(Duration time);

}  // namespace tenure

#endif  // TENURE_DRILL_REPORT_TEXT_H_
