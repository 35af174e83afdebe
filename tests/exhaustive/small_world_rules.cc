// The rules that are checked at every state; see docs/safety.md.
#include <algorithm>

#include "tests/exhaustive/authority_digest.h"
#include "tests/exhaustive/small_world.h"

namespace tenure::exhaustive {
namespace {

constexpr std::int32_t kSeconds = 2;

bool Grants(RequestKind kind) {
  return kind == RequestKind::kAcquire || kind == RequestKind::kRenew;
}

// One name is the beginning of the other.
bool Alike(const std::string& a, const std::string& b) {
  return a != b && !a.empty() && !b.empty() &&
         (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

SmallWorld::Broken SmallWorld::CheckRequest(int index, const Request& request,
                                            const Entropy& entropy) {
  Node& node = At(index);
  const LeaseWrite& write = request.write;
  Count(Rule::kOneRequestInFlight);
  if (node.flight) return "S13: two requests in flight";
  if (request.kind == RequestKind::kRead) return std::nullopt;
  Count(Rule::kWritesAreIdentified);
  const bool identified = !write.uid.empty() && !write.resource_version.empty();
  if (request.kind == RequestKind::kCreate) {
    if (!write.uid.empty() || !write.resource_version.empty() ||
        !write.holder.empty()) {
      return "S4: a create with uid, resource version or holder";
    }
  } else if (!identified) {
    return "S4: a write without uid or resource version";
  }
  // No entropy comes twice, so neither does a mark made of it.
  Count(Rule::kMarksAreFresh);
  if (write.write != WriteMark(node.identity, entropy)) {
    return "S5: a mark that is not of this step's entropy";
  }
  // The first release of a term does not wait: it can only land if what is
  // unknown did not.
  const bool gives_up = request.kind == RequestKind::kRelease &&
                        *write.generation > node.released;
  if (node.unknown && !gives_up) {
    return "S5: a write while the outcome of another is unknown";
  }
  const std::optional<TermSnapshot>& term = node.snapshot.term;
  if (request.kind == RequestKind::kRelease) {
    Count(Rule::kReleaseEndsTheTerm);
    if (term) return "S10: in a term while its release is sent";
    if (node.work && node.work_generation == *write.generation) {
      return "S10: released under running work";
    }
    node.released = std::max(node.released, *write.generation);
    return std::nullopt;
  }
  if (!Grants(request.kind)) return std::nullopt;
  Count(Rule::kNothingFollowsARelease);
  if (*write.generation <= node.released) {
    return "S10: a write of a released term";
  }
  Count(Rule::kHolderWritesAreWhole);
  if (write.holder != node.identity || write.duration_seconds != kSeconds) {
    return "S7: a holder write without holder or D";
  }
  if (request.kind == RequestKind::kRenew) {
    Count(Rule::kRenewalsAreOfTheRunningTerm);
    if (!term || term->generation != *write.generation) {
      return "S6: a renewal outside its term";
    }
    // What it knows as the holder's name is what it renews under.
    if (Alike(node.snapshot.holder, node.identity)) {
      return "S8: a renewal of a lease that another name holds";
    }
  }
  return std::nullopt;
}

SmallWorld::Broken SmallWorld::CheckApplied(int index, const Flight& flight,
                                            const std::string& document) {
  const Request& request = flight.request;
  const LeaseReply& reply = **flight.answer;
  Count(Rule::kOthersFieldsAreKept);
  if (!reply.created && reply.record.document != document) {
    return "S11: a label was lost";
  }
  Count(Rule::kOnlyACreateCreates);
  if (reply.created && request.kind != RequestKind::kCreate) {
    return "S4: created by a write that is no create";
  }
  if (Grants(request.kind) && request.write.holder == At(index).identity) {
    At(index).granted =
        Grant{*request.write.generation, flight.sent, request.write.write};
  }
  if (request.kind != RequestKind::kAcquire) return std::nullopt;
  Count(Rule::kGenerationsRise);
  if (*request.write.generation <= acquired_) {
    return "S7: acquired " + std::to_string(*request.write.generation) +
           " after " + std::to_string(acquired_);
  }
  acquired_ = *request.write.generation;
  Count(Rule::kTakenWhenTheClaimIsOver);
  for (int i = 0; i < count_; ++i) {
    if (i == index) continue;
    const CertaintyAnswer other = CertaintyAt(At(i).snapshot, Now(i));
    if (other.until_valid_until > Duration{0}) {
      return "S9: acquired under another's claim";
    }
  }
  return std::nullopt;
}

// S6: an answer that was given up, or came already, is as good as none.
SmallWorld::Broken SmallWorld::CheckLateAnswer() {
  if (!late_) return std::nullopt;
  Count(Rule::kLateAnswersAreDropped);
  const auto& [index, late] = *late_;
  const Moment now = Now(index);
  Fingerprint after[2];
  for (int told = 0; told < 2; ++told) {
    LeaseAuthority core(*At(index).core);
    core.Step(now, Entropy{7, 7}, told == 0 ? Input{Tick{}} : Input{late});
    StateHash hash(static_cast<const NumberScale*>(nullptr));
    AuthorityDigest::Add(core, now, &hash);
    AuthorityDigest::AddOwnMarks(core, &hash);
    after[told] = hash.Get();
  }
  if (after[0] == after[1]) return std::nullopt;
  return "S6: a late answer changed something";
}

int SmallWorld::Holder() const {
  for (int i = 0; i < count_; ++i) {
    if (CertaintyAt(At(i).snapshot, Now(i)).certainty == Certainty::kHeld) {
      return i;
    }
  }
  return -1;
}

SmallWorld::Broken SmallWorld::CheckAnswers() {
  int held = 0;
  for (int i = 0; i < count_; ++i) {
    const Node& node = At(i);
    const CertaintyAnswer answer = CertaintyAt(node.snapshot, Now(i));
    if (answer.certainty == Certainty::kHeld) ++held;
    if (auto broken = CheckTerm(i)) return broken;
    if (node.unknown == RequestKind::kAcquire) {
      Count(Rule::kTheUnknownIsNoCertainty);
      if (answer.certainty != Certainty::kUncertain) {
        return "S5: certain while an acquisition is unknown";
      }
    }
    if (Alike(node.snapshot.holder, node.identity)) {
      Count(Rule::kNamesAreComparedWhole);
      if (answer.certainty == Certainty::kHeld) {
        return "S8: held under a name that is only alike";
      }
    }
  }
  Count(Rule::kNeverTwoHeld);
  if (held > 1) return "S1: two nodes are told held";
  return std::nullopt;
}

SmallWorld::Broken SmallWorld::CheckTerm(int index) {
  const Node& node = At(index);
  const std::optional<TermSnapshot>& term = node.snapshot.term;
  if (!term) return std::nullopt;
  Count(Rule::kGrantedByAnAppliedWrite);
  if (term->generation != node.granted.generation) {
    return "S3: a term that no applied write of ours gives";
  }
  Count(Rule::kCountedFromSending);
  if (term->sent.instant.boot > node.granted.sent.instant.boot) {
    return "S2: a claim counted from after its write was sent";
  }
  return std::nullopt;
}

}  // namespace tenure::exhaustive
