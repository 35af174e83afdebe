#include "sidecar/drill/verdict.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/drill/event.h"

namespace tenure {
namespace {

std::string Under(std::int64_t generation) {
  return "generation " + std::to_string(generation);
}

// The highest that was accepted before `attempt` was on its way; 0: none.
std::int64_t KnownBefore(const std::vector<Attempt>& attempts,
                         const Attempt& attempt) {
  std::int64_t known = 0;
  for (const Attempt& other : attempts) {
    if (other.outcome == StoreOutcome::kAccepted &&
        other.answered <= attempt.tried && other.id != attempt.id) {
      known = std::max(known, other.generation);
    }
  }
  return known;
}

// One that got through although the store had taken a higher generation.
const Attempt* AcceptedStale(const std::vector<Attempt>& attempts) {
  for (const Attempt& attempt : attempts) {
    if (attempt.outcome == StoreOutcome::kAccepted &&
        KnownBefore(attempts, attempt) > attempt.generation) {
      return &attempt;
    }
  }
  return nullptr;
}

std::optional<std::string> HeldTwice(const std::vector<DrillEvent>& events) {
  const std::vector<Band> bands =
      Bands(events, events.empty() ? Duration{0} : events.back().at);
  for (const Band& one : bands) {
    for (const Band& two : bands) {
      if (one.kind != Band::Kind::kHeld || two.kind != Band::Kind::kHeld ||
          one.who >= two.who) {
        continue;
      }
      if (std::max(one.from, two.from) < std::min(one.to, two.to)) {
        return one.who + " (" + Under(one.generation) + ") and " + two.who +
               " (" + Under(two.generation) + ") answered held at once";
      }
    }
  }
  return std::nullopt;
}

// Why what the store held shows that it did what it had refused; empty: it does
// not.
std::optional<std::string> Belied(const std::vector<DrillEvent>& events,
                                  const std::vector<Attempt>& attempts) {
  for (const DrillEvent& event : events) {
    if (event.kind != DrillEventKind::kStored) continue;
    std::set<std::string> possible;
    std::int64_t known = 0;
    for (const Attempt& attempt : attempts) {
      if (attempt.op == "write" && attempt.tried <= event.at &&
          attempt.outcome != StoreOutcome::kRefused) {
        possible.insert(attempt.id);
      }
      if (attempt.outcome == StoreOutcome::kAccepted &&
          attempt.answered <= event.before) {
        known = std::max(known, attempt.generation);
      }
    }
    const auto most = static_cast<std::int64_t>(possible.size());
    if (event.writes > most) {
      return "the store APPLIED a write that it refused: it has applied " +
             std::to_string(event.writes) + ", and " + std::to_string(most) +
             " at most were not refused";
    }
    // 0: it does not say.
    if (event.token != 0 && event.token < known) {
      return "the store's token FELL: it knows " + std::to_string(event.token) +
             " although it had accepted " + std::to_string(known);
    }
  }
  return std::nullopt;
}

Verdict JudgeStale(const std::vector<Attempt>& attempts, const Attempt& stale) {
  Verdict verdict{DrillOutcome::kNothing, "", stale.who, stale.generation,
                  stale.token};
  const std::int64_t known = KnownBefore(attempts, stale);
  if (known <= stale.generation) {
    verdict.why = "no newer generation was in the store when the write under " +
                  Under(stale.generation) + " came, so it was not stale";
  } else if (stale.outcome == StoreOutcome::kUnknown) {
    verdict.why = "the store gave no answer to the stale write: " +
                  (stale.text.empty() ? "nothing came" : stale.text);
  } else if (stale.token < known) {
    verdict.why =
        "the store refused the stale write, but not by its generation: it "
        "says that it knows " +
        std::to_string(stale.token) + ", and had accepted " +
        std::to_string(known);
  } else {
    verdict.outcome = DrillOutcome::kPassed;
    verdict.why = "the store refused the stale write of " + stale.who +
                  " under " + Under(stale.generation) + ": it knows " +
                  std::to_string(stale.token);
  }
  return verdict;
}

}  // namespace

const char* DrillOutcomeName(DrillOutcome outcome) {
  switch (outcome) {
    case DrillOutcome::kPassed:
      return "passed";
    case DrillOutcome::kFailed:
      return "failed";
    case DrillOutcome::kNothing:
      return "no verdict";
    case DrillOutcome::kSkipped:
      return "skipped";
  }
  return "no verdict";
}

Verdict Judge(const std::vector<DrillEvent>& events,
              const std::string& stale_id, const std::string& trouble) {
  const std::vector<Attempt> attempts = Attempts(events);
  if (const Attempt* bad = AcceptedStale(attempts)) {
    return {DrillOutcome::kFailed,
            "the store ACCEPTED a stale " + bad->op + " of " + bad->who +
                " under " + Under(bad->generation) +
                " although it had accepted " +
                std::to_string(KnownBefore(attempts, *bad)),
            bad->who, bad->generation, KnownBefore(attempts, *bad)};
  }
  if (const auto twice = HeldTwice(events)) {
    return {DrillOutcome::kFailed, *twice, "", 0, 0};
  }
  if (const auto why = Belied(events, attempts)) {
    return {DrillOutcome::kFailed, *why, "", 0, 0};
  }
  const auto stale = std::find_if(
      attempts.rbegin(), attempts.rend(), [&](const Attempt& attempt) {
        return !stale_id.empty() && attempt.id == stale_id;
      });
  if (stale == attempts.rend() || !trouble.empty()) {
    return {
        DrillOutcome::kNothing,
        trouble.empty() ? "the stale write never reached the store" : trouble,
        "", 0, 0};
  }
  return JudgeStale(attempts, *stale);
}

std::vector<Band> Bands(const std::vector<DrillEvent>& events, Duration end) {
  std::vector<Band> bands;
  std::map<std::string, Band> open;
  const auto close = [&](const std::string& who, Duration to, Duration ended) {
    const auto found = open.find(who);
    if (found == open.end()) return;
    Band band = found->second;
    open.erase(found);
    band.to = std::max(to, band.from);
    band.ended = std::max(ended, band.to);
    bands.push_back(std::move(band));
  };
  for (const DrillEvent& event : events) {
    if (event.kind == DrillEventKind::kFrozen) {
      close(event.who, event.before, event.at);
      open[event.who] = {event.who, Band::Kind::kFrozen, 0, event.at, {}, {}};
    } else if (event.kind == DrillEventKind::kResumed) {
      close(event.who, event.at, event.at);
    } else if (event.kind == DrillEventKind::kCertainty) {
      close(event.who, event.before, event.at);
      if (event.text.empty()) continue;  // nobody answers any more
      const Band::Kind kind = event.text == "held" ? Band::Kind::kHeld
                              : event.text == "uncertain"
                                  ? Band::Kind::kUncertain
                                  : Band::Kind::kStandby;
      open[event.who] = {event.who, kind, event.generation, event.at, {}, {}};
    }
  }
  while (!open.empty()) close(open.begin()->first, end, end);
  std::ranges::sort(bands, {}, [](const Band& band) {
    return std::pair(band.who, band.from);
  });
  return bands;
}

int DrillExitCode(std::span<const Verdict> verdicts) {
  const auto any = [&](DrillOutcome outcome) {
    return std::ranges::any_of(
        verdicts, [&](const Verdict& v) { return v.outcome == outcome; });
  };
  if (any(DrillOutcome::kFailed)) return 1;
  if (verdicts.empty() || any(DrillOutcome::kNothing)) return 2;
  return any(DrillOutcome::kSkipped) ? 3 : 0;
}

}  // namespace tenure
