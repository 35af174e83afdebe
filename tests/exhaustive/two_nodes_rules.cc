// The rules that are checked at every state; see docs/safety.md.
#include <algorithm>
#include <utility>

#include "tests/exhaustive/two_nodes.h"

namespace tenure::exhaustive {
namespace {

bool Grants(RequestKind kind) {
  return kind == RequestKind::kAcquire || kind == RequestKind::kRenew;
}

}  // namespace

std::optional<std::string> TwoNodes::Step(int index, const Input& input) {
  Node& node = nodes_[static_cast<std::size_t>(index)];
  ++entropy_;
  const Moment now = Now(index);
  const Output output =
      node.core->Step(now, Entropy{entropy_, entropy_}, input);
  if (const auto* start = std::get_if<StartWork>(&input)) {
    if (output.reply && !output.reply->error) {
      node.work = true;
      node.work_generation = start->generation;
    }
  }
  if (output.request) {
    if (auto broken = CheckRequest(index, *output.request)) return broken;
    node.request = output.request;
    node.sent_at = now_;
    if (Grants(output.request->kind)) {
      node.writes.push_back(*output.request);
      node.write_moments.push_back(now);
    }
  }
  return CheckAnswers();
}

std::optional<std::string> TwoNodes::CheckRequest(int index,
                                                  const Request& request) {
  Node& node = nodes_[static_cast<std::size_t>(index)];
  const LeaseWrite& write = request.write;
  Count("S13 one request in flight");
  if (node.request) return "S13: two requests in flight";
  if (request.kind == RequestKind::kRead) return std::nullopt;
  Count("S4 writes are identified");
  const bool identified = !write.uid.empty() && !write.resource_version.empty();
  if (request.kind == RequestKind::kCreate) {
    if (!write.uid.empty() || !write.resource_version.empty() ||
        !write.holder.empty()) {
      return "S4: a create with uid, resource version or holder";
    }
  } else if (!identified) {
    return "S4: a write without uid or resource version";
  }
  Count("S5 marks are fresh");
  if (write.write.empty() || !marks_.insert(write.write).second) {
    return "S5: a mark was used twice";
  }
  const AuthoritySnapshot snapshot = node.core->Snapshot();
  const bool held =
      CertaintyAt(snapshot, Now(index)).certainty == Certainty::kHeld;
  if (request.kind == RequestKind::kRelease) {
    Count("S10 release ends the term, after the work");
    if (held) return "S10: told held while its release is sent";
    if (node.work && node.work_generation == *write.generation) {
      return "S10: released under running work";
    }
    node.released = std::max(node.released, *write.generation);
  }
  if (Grants(request.kind)) {
    Count("S10 nothing follows a release");
    if (*write.generation <= node.released) {
      return "S10: a write of a released term";
    }
    Count("S7 holder writes restate holder, D, generation");
    if (write.holder != node.identity || write.duration_seconds != 15) {
      return "S7: a holder write without holder or D";
    }
  }
  if (request.kind == RequestKind::kRenew) {
    Count("S6 renewals belong to the running term");
    if (!snapshot.term || snapshot.term->generation != *write.generation) {
      return "S6: a renewal outside its term";
    }
  }
  return std::nullopt;
}

std::optional<std::string> TwoNodes::Apply(int index, const Request& request,
                                           sim::Answer* answer) {
  if (request.kind == RequestKind::kRead) {
    *answer = server_.Get();
    return std::nullopt;
  }
  const std::string document =
      server_.lease() ? server_.lease()->document : std::string();
  *answer = server_.Put(request.write);
  if (!*answer) return std::nullopt;
  applied_.insert(request.write.write);
  Count("S11 others' fields are kept");
  if (!(*answer)->created && (*answer)->record.document != document) {
    return "S11: a label was lost";
  }
  Count("S4 only a create creates");
  if ((*answer)->created && request.kind != RequestKind::kCreate) {
    return "S4: created by a write that is no create";
  }
  if (request.kind == RequestKind::kAcquire) {
    Count("S7 generations rise");
    if (*request.write.generation <= acquired_) {
      return "S7: acquired " + std::to_string(*request.write.generation) +
             " after " + std::to_string(acquired_);
    }
    acquired_ = *request.write.generation;
    Count("S9 taken only when the last claim is over");
    for (int i = 0; i < kNodes; ++i) {
      if (i == index) continue;
      const CertaintyAnswer other = CertaintyAt(
          nodes_[static_cast<std::size_t>(i)].core->Snapshot(), Now(i));
      if (other.until_valid_until > Duration{0}) {
        return "S9: acquired under another's claim";
      }
    }
  }
  return std::nullopt;
}

int TwoNodes::Holder() const {
  for (int i = 0; i < kNodes; ++i) {
    const AuthoritySnapshot snapshot =
        nodes_[static_cast<std::size_t>(i)].core->Snapshot();
    if (CertaintyAt(snapshot, Now(i)).certainty == Certainty::kHeld) return i;
  }
  return -1;
}

std::optional<std::string> TwoNodes::CheckAnswers() {
  int held = 0;
  for (int i = 0; i < kNodes; ++i) {
    const AuthoritySnapshot snapshot =
        nodes_[static_cast<std::size_t>(i)].core->Snapshot();
    const CertaintyAnswer answer = CertaintyAt(snapshot, Now(i));
    if (answer.certainty == Certainty::kHeld) ++held;
    if (auto broken = CheckTerm(i, snapshot)) return broken;
  }
  Count("S1 never two held");
  if (held > 1) return "S1: two nodes are told held";
  return std::nullopt;
}

std::optional<std::string> TwoNodes::CheckTerm(
    int index, const AuthoritySnapshot& snapshot) {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  if (!snapshot.term) return std::nullopt;
  Count("S2 S3 authority counts from an applied write's sending");
  for (std::size_t i = node.writes.size(); i > 0; --i) {
    const LeaseWrite& write = node.writes[i - 1].write;
    if (write.generation == snapshot.term->generation &&
        applied_.count(write.write) > 0 &&
        node.write_moments[i - 1].instant.boot >=
            snapshot.term->sent.instant.boot) {
      return std::nullopt;
    }
  }
  return "S3: a term that no applied write of ours gives";
}

}  // namespace tenure::exhaustive
