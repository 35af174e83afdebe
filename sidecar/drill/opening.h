// What drills have in common: how they begin, how a lease changes hands, and
// what they say of it.
//
// Thread safety: the main thread of a process that has no other: it forks.
#ifndef TENURE_DRILL_OPENING_H_
#define TENURE_DRILL_OPENING_H_

#include <cstdint>
#include <functional>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/drill/contender.h"
#include "sidecar/drill/stage.h"

namespace tenure {

struct Casting {
  bool relayed = false;      // contenders reach the API server through relays
  bool step_clocks = false;  // their wall clocks can be stepped
  // The first to start need not wait for an absent Lease: nobody was there.
  bool take_absent = true;
};

// Who held the lease when everything began.
struct FirstHolder {
  Contender* contender = nullptr;
  std::int64_t generation = 0;
  std::string identity;
  Duration lease_duration{0};  // for how long a dead holder is waited for
};

// One contender after another; until one of them holds, has written, and all
// others stand by.
Result<FirstHolder> OpenScene(Stage* stage, const Casting& casting);

// As it is now: the lease may have changed hands on a busy machine.
Result<FirstHolder> PresentHolder(Stage* stage);

// Until somebody has written under a generation above `generation`.
Result<void> AwaitSuccessor(Stage* stage, const FirstHolder& first);

// Until a lease duration has passed since `from`: no claim of before stands.
Result<void> AwaitExpiry(Stage* stage, const FirstHolder& first, Duration from);

// Until nothing is left of the first holder's writer.
Result<void> AwaitStopped(Stage* stage, const FirstHolder& first);

// A write of the first holder that was held up; its id.
Result<std::string> LateWrite(Stage* stage, const FirstHolder& first);

// Where the wall clock of a contender is set, if it can be stepped.
void StepClock(Stage* stage, const std::string& who, const std::string& offset);

}  // namespace tenure

#endif  // TENURE_DRILL_OPENING_H_
