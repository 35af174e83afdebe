// DrillEvent: something that was seen in a drill, when, and by whom.
//
// Thread safety: values and pure functions.
#ifndef TENURE_DRILL_EVENT_H_
#define TENURE_DRILL_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/drill/store_message.h"

namespace tenure {

enum class DrillEventKind {
  kStarted,    // a writer; `pid`
  kCertainty,  // what a sidecar answers from now on: `text`, `generation`
  kFrozen,     // all processes of a contender were stopped
  kResumed,    // they go on
  kGone,       // a writer's process has ended
  kHolding,    // a writer stops itself between its check and its write `id`
  kTry,        // a request is on its way to the store: `op`, `id`
  kAnswer,     // what the store said: `outcome`, `token`
  kStored,     // what the store held when it was read: `token`, `writes`
  kWithheld,   // a writer did not write: its sidecar did not say that it may
  kTrouble,    // nothing more will come of this drill: `text`
  kFault,      // what the drill does to the contenders: `text`
  kNote,       // worth knowing: `text`
};

enum class StoreOutcome { kAccepted, kRefused, kUnknown };

struct DrillEvent {
  Duration at{0};   // boot clock, since the drill began
  std::string who;  // a contender; "": the drill itself
  DrillEventKind kind = DrillEventKind::kNote;
  std::int64_t generation = 0;  // what it acted under
  std::string op;               // "raise" or "write"
  std::string id;
  StoreOutcome outcome = StoreOutcome::kUnknown;
  std::int64_t token = 0;  // the highest the store knows
  std::int64_t pid = 0;
  // Of kStored: how many writes it has applied; below 0: it does not say.
  std::int64_t writes = -1;
  // Of kCertainty: until when the answer before was still given. Of kStored:
  // when it was asked.
  Duration before{0};
  std::string text;
};

const char* EventKindName(DrillEventKind kind);
const char* OutcomeName(StoreOutcome outcome);

// Makes of a try the answer that the store gave to it.
void TakeAnswer(const StoreAnswer& answer, DrillEvent* event);

// One line of JSON, and back. Errors: kInvalidArgument.
std::string EventLine(const DrillEvent& event);
Result<DrillEvent> ReadEventLine(std::string_view line);

// One request to the store with what became of it.
struct Attempt {
  std::string who;
  std::string op;
  std::string id;
  std::int64_t generation = 0;
  Duration tried{0};
  Duration answered{0};
  StoreOutcome outcome = StoreOutcome::kUnknown;
  std::int64_t token = 0;
  std::string text;
};

// In the order in which they were tried.
std::vector<Attempt> Attempts(const std::vector<DrillEvent>& events);

}  // namespace tenure

#endif  // TENURE_DRILL_EVENT_H_
