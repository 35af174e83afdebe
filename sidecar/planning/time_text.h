// Durations as a person reads them, and as flags take them.
//
// Thread safety: pure functions.
#ifndef TENURE_PLANNING_TIME_TEXT_H_
#define TENURE_PLANNING_TIME_TEXT_H_

#include <string>

#include "sidecar/base/instant.h"

namespace tenure {

// "500 ms", "15.5 s", "2 min 17 s", "1 h 30 min"; rounded to the millisecond,
// from two minutes on to the second.
std::string TimeText(Duration value);

// "15.5s": what every duration flag reads back as the same millisecond.
std::string FlagText(Duration value);

}  // namespace tenure

#endif  // TENURE_PLANNING_TIME_TEXT_H_
