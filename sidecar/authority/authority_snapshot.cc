#include "sidecar/authority/authority_snapshot.h"

#include "sidecar/authority/canary.h"

namespace tenure {
namespace {

// The term has not ended: a claim exists, certain or in doubt.
CertaintyAnswer InTerm(const TermSnapshot& term, const Moment& now,
                       Duration elapsed) {
  CertaintyAnswer answer;
  answer.until_valid_until = term.valid_for - elapsed;
  // A pause that the boot clock did not see: everything measured by it may be
  // too little, so nothing is claimed until a later renewal.
  if (term.clock_doubt || PauseWasHidden(term.sent, now)) {
    answer.reason = "clock";
    return answer;
  }
  if (elapsed >= term.renew_by) {
    answer.reason = "renewBy";
    return answer;
  }
  answer.certainty = Certainty::kHeld;
  answer.generation = term.generation;
  answer.until_renew_by = term.renew_by - elapsed;
  return answer;
}

}  // namespace

bool PauseWasHidden(const Moment& sent, const Moment& now) {
  if (CANARY(kNoticesNoHiddenPause)) return false;
  return WallAhead(sent, now) > kWallDoubt;
}

const char* CertaintyName(Certainty certainty) {
  switch (certainty) {
    case Certainty::kHeld:
      return "held";
    case Certainty::kStandby:
      return "standby";
    case Certainty::kUncertain:
      break;
  }
  return "uncertain";
}

CertaintyAnswer CertaintyAt(const CertaintyGrounds& grounds,
                            const Moment& now) {
  if (grounds.term) {
    const TermSnapshot& term = *grounds.term;
    const Duration elapsed =
        CANARY(kSuspensionIsNotCounted)
            ? ShortestElapsed(term.sent.instant, now.instant)
            : LongestElapsed(term.sent.instant, now.instant);
    // S1: past valid_until the term is over, whether the driver noticed or not.
    if (elapsed < term.valid_for) return InTerm(term, now, elapsed);
  }
  CertaintyAnswer answer;
  if (!grounds.settled) {
    answer.reason = "unsettled";
    return answer;
  }
  if (LongestElapsed(grounds.server_seen, now.instant) >=
      grounds.silence_limit) {
    answer.reason = "silence";
    return answer;
  }
  answer.certainty = Certainty::kStandby;
  return answer;
}

}  // namespace tenure
