#include "sidecar/drill/late_requests.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "sidecar/clock/system_clock.h"
#include "sidecar/drill/event.h"

namespace tenure {
namespace {

using Kind = DrillEventKind;
using Op = StoreRequest::Op;

constexpr int kMostReads = 20;
constexpr Duration kBetweenReads = std::chrono::milliseconds(20);

void Deliver(Stage* stage, const Late& late, const StoreRequest& request) {
  DrillEvent event;
  event.who = late.who;
  event.kind = Kind::kTry;
  event.generation = late.generation;
  event.op = StoreOpName(request.op);
  event.id = request.id;
  stage->RecordNow(event);
  StoreAnswer answer = stage->AskStore(request);
  // It is applied once, however often it is asked for.
  if (answer.result == StoreAnswer::Result::kUnknown) {
    answer = stage->AskStore(request);
  }
  TakeAnswer(answer, &event);
  stage->RecordNow(event);
}

void RaiseLate(Stage* stage, const Late& late) {
  StoreRequest request;
  request.op = Op::kRaise;
  request.token = late.generation;
  request.holder = late.holder;
  request.id = late.who + "-" + std::to_string(late.generation) + "-late-raise";
  Deliver(stage, late, request);
}

// The highest number with a digit less than `number`; 0: there is none.
std::int64_t Shorter(std::int64_t number) {
  std::int64_t power = 1;
  while (power <= number / 10) power *= 10;
  return power - 1;
}

// A write that the store may or may not count yet in what it said at `read`.
bool UnderWay(const Attempt& attempt, const DrillEvent& read) {
  return attempt.op == "write" && attempt.tried < read.at &&
         attempt.answered > read.before;
}

// Until a moment at which nobody writes: then each write shows.
void ReadBetweenWrites(Stage* stage) {
  for (int i = 0; i < kMostReads; ++i) {
    DrillEvent event;
    event.kind = Kind::kStored;
    event.before = ReadClocks().instant.boot;
    const StoreAnswer answer = stage->AskStore({});
    if (answer.result != StoreAnswer::Result::kOk) return;
    event.token = answer.token;
    event.writes = answer.writes;
    stage->RecordNow(event);
    const DrillEvent read = stage->events().back();
    // What the writers have to say of that moment arrives.
    if (!stage->Wait(kBetweenReads)) return;
    if (std::ranges::none_of(
            Attempts(stage->events()),
            [&](const Attempt& attempt) { return UnderWay(attempt, read); })) {
      return;
    }
  }
}

}  // namespace

std::string DeliverLate(Stage* stage, const Late& late) {
  StoreRequest request;
  request.op = Op::kWrite;
  request.token = late.generation;
  request.holder = late.holder;
  request.id = late.who + "-" + std::to_string(late.generation) + "-late";
  request.value = "a late write of " + late.who + " under " +
                  std::to_string(late.generation);
  request.fenced = stage->options().fenced;
  Deliver(stage, late, request);
  return request.id;
}

void DeliverTheRest(Stage* stage, const std::string& stale_id) {
  Late late;
  std::int64_t known = 0;
  for (const Attempt& attempt : Attempts(stage->events())) {
    if (attempt.id == stale_id) {
      late = {attempt.who, attempt.generation, attempt.who + "-late"};
    }
    if (attempt.outcome == StoreOutcome::kAccepted) {
      known = std::max(known, attempt.generation);
    }
  }
  if (late.who.empty()) return;
  const Late older{late.who, Shorter(known), late.holder};
  const bool has_older =
      older.generation > 0 && older.generation != late.generation;
  stage->Say(Kind::kFault, late.who,
             "more of what " + late.who + " sent arrives late: a raise under " +
                 std::to_string(late.generation) +
                 (has_older ? ", and a write of an older generation, " +
                                  std::to_string(older.generation)
                            : std::string()));
  RaiseLate(stage, late);
  if (has_older) std::ignore = DeliverLate(stage, older);
  ReadBetweenWrites(stage);
}

}  // namespace tenure
