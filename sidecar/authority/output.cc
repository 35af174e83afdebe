#include "sidecar/authority/output.h"

namespace tenure {

const char* RequestKindName(RequestKind kind) {
  switch (kind) {
    case RequestKind::kRead:
      break;
    case RequestKind::kCreate:
      return "create";
    case RequestKind::kAcquire:
      return "acquire";
    case RequestKind::kRenew:
      return "renew";
    case RequestKind::kRelease:
      return "release";
  }
  return "read";
}

const char* TransitionKindName(Transition::Kind kind) {
  switch (kind) {
    case Transition::Kind::kAcquired:
      return "acquired";
    case Transition::Kind::kUncertain:
      break;
    case Transition::Kind::kCertain:
      return "certain";
    case Transition::Kind::kLost:
      return "lost";
    case Transition::Kind::kReleasing:
      return "releasing";
    case Transition::Kind::kReleased:
      return "released";
    case Transition::Kind::kHolderObserved:
      return "holderObserved";
    case Transition::Kind::kRefused:
      return "refused";
    case Transition::Kind::kDraining:
      return "draining";
    case Transition::Kind::kFinished:
      return "finished";
    case Transition::Kind::kWatchDenied:
      return "watchDenied";
  }
  return "uncertain";
}

}  // namespace tenure
