// A drill as its events tell it, for tests of what is made of them.
#ifndef TENURE_TESTS_UNIT_DRILL_STORY_H_
#define TENURE_TESTS_UNIT_DRILL_STORY_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/drill/drill_run.h"
#include "sidecar/drill/event.h"

namespace tenure::story {

using Kind = DrillEventKind;

inline Duration At(int milliseconds) {
  return std::chrono::milliseconds(milliseconds);
}

inline DrillEvent Event(int at, const std::string& who, Kind kind,
                        std::int64_t generation = 0) {
  DrillEvent event;
  event.at = At(at);
  event.who = who;
  event.kind = kind;
  event.generation = generation;
  return event;
}

inline DrillEvent Certain(int at, int before, const std::string& who,
                          const std::string& text,
                          std::int64_t generation = 0) {
  DrillEvent event = Event(at, who, Kind::kCertainty, generation);
  event.before = At(before);
  event.text = text;
  return event;
}

inline DrillEvent Frozen(int at, const std::string& who) {
  DrillEvent event = Event(at, who, Kind::kFrozen);
  event.before = At(at - 50);
  return event;
}

// A request that takes 10 ms: two events.
inline std::vector<DrillEvent> Asked(int at, const std::string& who,
                                     std::int64_t generation,
                                     const std::string& id,
                                     StoreOutcome outcome, std::int64_t token,
                                     const std::string& op = "write") {
  DrillEvent asked = Event(at, who, Kind::kTry, generation);
  asked.op = op;
  asked.id = id;
  DrillEvent answered = asked;
  answered.at = At(at + 10);
  answered.kind = Kind::kAnswer;
  answered.outcome = outcome;
  answered.token = token;
  return {asked, answered};
}

// What the store held, read in 5 ms.
inline DrillEvent Stored(int at, std::int64_t token, std::int64_t writes) {
  DrillEvent event = Event(at, "", Kind::kStored);
  event.before = At(at - 5);
  event.token = token;
  event.writes = writes;
  return event;
}

inline void Add(std::vector<DrillEvent>* events,
                const std::vector<DrillEvent>& more) {
  events->insert(events->end(), more.begin(), more.end());
}

inline constexpr char kStale[] = "one-3-2";

// One holds under 3 and is paused; two acquires 9; one goes on and tries its
// write, of which the store says `outcome`.
inline std::vector<DrillEvent> Pause(StoreOutcome outcome, std::int64_t token) {
  std::vector<DrillEvent> events = {Certain(100, 0, "one", "held", 3),
                                    Certain(150, 0, "two", "standby")};
  Add(&events,
      Asked(200, "one", 3, "one-3-raise", StoreOutcome::kAccepted, 3, "raise"));
  Add(&events, Asked(300, "one", 3, "one-3-1", StoreOutcome::kAccepted, 3));
  events.push_back(Frozen(500, "one"));
  events.push_back(Certain(4000, 3950, "two", "held", 9));
  Add(&events, Asked(4100, "two", 9, "two-9-raise", StoreOutcome::kAccepted, 9,
                     "raise"));
  Add(&events, Asked(4200, "two", 9, "two-9-1", StoreOutcome::kAccepted, 9));
  Add(&events, Asked(5000, "one", 3, kStale, outcome, token));
  events.push_back(Event(5100, "one", Kind::kResumed));
  events.push_back(Certain(5150, 5120, "one", "standby"));
  return events;
}

inline DrillResult Result(std::vector<DrillEvent> events, Verdict verdict) {
  DrillResult result;
  result.name = "pause";
  result.what = "the holder is paused";
  result.verdict = std::move(verdict);
  result.took = At(6000);
  result.stale_id = kStale;
  result.events = std::move(events);
  result.value = "write 1 of two under 9";
  result.token = 9;
  return result;
}

inline DrillResults Results(std::vector<DrillResult> drills) {
  DrillResults results;
  results.drills = std::move(drills);
  results.contenders = 2;
  results.preset = "fast";
  results.store = "SQLite";
  results.server = "embedded";
  return results;
}

}  // namespace tenure::story

#endif  // TENURE_TESTS_UNIT_DRILL_STORY_H_
