// Claims about requests, acquisitions and the guarded stores.
#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/sim/checkers.h"

namespace tenure::sim {
namespace {

std::string Describe(const Sent& sent) {
  return "node " + std::to_string(sent.node) + " lease " +
         std::to_string(sent.lease) + " " + RequestKindName(sent.kind) +
         " generation " + std::to_string(sent.generation) + " (at " +
         std::to_string(
             std::chrono::duration_cast<std::chrono::milliseconds>(sent.at)
                 .count()) +
         " ms)";
}

using Lane = std::tuple<int, int, int>;  // node, lease, process

std::map<Lane, std::vector<const Sent*>> ByLane(const History& history) {
  std::map<Lane, std::vector<const Sent*>> lanes;
  for (const Sent& sent : history.sent) {
    lanes[{sent.node, sent.lease, sent.process}].push_back(&sent);
  }
  return lanes;
}

template <typename Bad>
Verdict FirstSent(const History& history, Bad bad) {
  for (const Sent& sent : history.sent) {
    if (bad(sent)) return Describe(sent);
  }
  return std::nullopt;
}

// No restore, or (`bumped` allowed) only with revisions that jump ahead: then
// compare-and-swap still means something.
bool NeverRestored(const History& history, bool bumped_allowed) {
  return std::none_of(history.incidents.begin(), history.incidents.end(),
                      [&](const Incident& incident) {
                        return incident.kind == Incident::Kind::kRestored &&
                               !(bumped_allowed && incident.number == 1);
                      });
}

// The first that comes within a second of the one before it in its process,
// without an excuse.
template <typename Excused>
const Beside* FirstTooSoon(const History& history,
                           const std::vector<Beside>& all, Excused excused) {
  std::map<Lane, const Beside*> last;
  for (const Beside& one : all) {
    const Lane lane{one.node, one.lease, one.process};
    const Beside* before = std::exchange(last[lane], &one);
    if (before == nullptr || excused(lane, before->at, one.at)) continue;
    const NodeClock& clock = history.clocks[static_cast<std::size_t>(one.node)];
    if (LongestElapsed(clock.At(before->at).instant, clock.At(one.at).instant) <
        std::chrono::seconds(1)) {
      return &one;
    }
  }
  return nullptr;
}

std::string Describe(const Beside& one, const char* what) {
  return std::string(what) + " of node " + std::to_string(one.node) +
         " lease " + std::to_string(one.lease) + " (at " +
         std::to_string(
             std::chrono::duration_cast<std::chrono::milliseconds>(one.at)
                 .count()) +
         " ms)";
}

bool Grants(RequestKind kind) {
  return kind == RequestKind::kAcquire || kind == RequestKind::kRenew;
}

}  // namespace

Verdict AuthorityComesFromAnAppliedWrite(const History& history) {
  std::unordered_map<std::string, TrueTime> applied;  // by mark, first time
  for (const Applied& one : history.applied) applied.emplace(one.mark, one.at);
  std::map<std::pair<int, int>, std::vector<const Sent*>> writes;
  for (const Sent& sent : history.sent) {
    if (Grants(sent.kind)) writes[{sent.node, sent.lease}].push_back(&sent);
  }
  std::map<std::pair<int, int>, Moment> last;
  for (const Published& published : history.published) {
    if (!published.grounds.term) continue;
    const TermSnapshot& term = *published.grounds.term;
    Moment& seen = last[{published.node, published.lease}];
    if (seen.instant == term.sent.instant) continue;
    seen = term.sent;
    // Newest first, back to the one that the deadline counts from.
    const auto& sent_here = writes[{published.node, published.lease}];
    auto sent = std::upper_bound(
        sent_here.begin(), sent_here.end(), published.at,
        [](TrueTime at, const Sent* one) { return at < one->at; });
    bool justified = false;
    while (!justified && sent != sent_here.begin()) {
      const Sent& write = **--sent;
      if (write.moment.instant.boot < term.sent.instant.boot) break;
      const auto when = applied.find(write.mark);
      justified = write.generation == term.generation &&
                  write.moment.instant.raw >= term.sent.instant.raw &&
                  when != applied.end() && when->second <= published.at;
    }
    if (!justified) {
      return "node " + std::to_string(published.node) + " lease " +
             std::to_string(published.lease) + " generation " +
             std::to_string(term.generation) + " at " +
             std::to_string(published.at.count()) + " ns";
    }
  }
  return std::nullopt;
}

Verdict WritesAreIdentified(const History& history) {
  for (const Applied& applied : history.applied) {
    if (applied.created && applied.kind != RequestKind::kCreate) {
      return "created by a " + std::string(RequestKindName(applied.kind));
    }
    if (applied.kind == RequestKind::kCreate && !applied.holder.empty()) {
      return std::string("a create names a holder");
    }
  }
  return FirstSent(history, [](const Sent& sent) {
    return sent.kind != RequestKind::kRead &&
           sent.kind != RequestKind::kCreate && !sent.identified;
  });
}

Verdict MarksAreFresh(const History& history) {
  if (history.clones_share_entropy) return std::nullopt;
  std::unordered_set<std::string> marks;
  return FirstSent(history, [&](const Sent& sent) {
    return sent.kind != RequestKind::kRead &&
           (sent.mark.empty() || !marks.insert(sent.mark).second);
  });
}

Verdict OwnReturnWaitsForTheWork(const History& history) {
  // Who relies on the fence alone takes an emptied lease at once.
  if (history.absent_is_taken) return std::nullopt;
  std::size_t next = 0;
  std::vector<const Applied*> last(static_cast<std::size_t>(history.leases));
  return FirstSent(history, [&](const Sent& sent) {
    for (; next < history.applied.size() && history.applied[next].at < sent.at;
         ++next) {
      last[static_cast<std::size_t>(history.applied[next].lease)] =
          &history.applied[next];
    }
    const Applied* before = last[static_cast<std::size_t>(sent.lease)];
    return sent.kind == RequestKind::kAcquire && sent.work_running &&
           before != nullptr && Grants(before->kind) &&
           before->node == sent.node && before->process == sent.process &&
           sent.at - before->at <
               std::chrono::seconds(history.times.lease_duration_seconds) / 2;
  });
}

Verdict GenerationsRise(const History& history) {
  std::vector<std::int64_t> highest(static_cast<std::size_t>(history.leases));
  std::size_t next = 0;
  for (const Applied& applied : history.applied) {
    for (; next < history.incidents.size() &&
           history.incidents[next].at <= applied.at;
         ++next) {
      // Only the store still knows; the fence is judged by its own checker.
      const Incident& incident = history.incidents[next];
      if (incident.lease < 0) continue;
      std::int64_t& last = highest[static_cast<std::size_t>(incident.lease)];
      const bool bumped = incident.number == 1;
      // Though revisions jump ahead, the restored record keeps its old one.
      if (incident.kind == Incident::Kind::kRestored) last = bumped ? 0 : -1;
      if (incident.kind == Incident::Kind::kRevisionsNew) last = 0;
    }
    if (applied.kind != RequestKind::kAcquire) continue;
    std::int64_t& last = highest[static_cast<std::size_t>(applied.lease)];
    if (last < 0) continue;  // revisions recur
    if (applied.generation <= last) {
      return "node " + std::to_string(applied.node) + " acquired " +
             std::to_string(applied.generation) + " after " +
             std::to_string(last) + " at " +
             std::to_string(applied.at.count()) + " ns";
    }
    last = applied.generation;
  }
  return std::nullopt;
}

Verdict ReleaseEndsItsTerm(const History& history) {
  for (const auto& [lane, all] : ByLane(history)) {
    std::int64_t released = 0;
    for (const Sent* sent : all) {
      if (Grants(sent->kind) && sent->generation <= released) {
        return Describe(*sent) + " after its release";
      }
      if (sent->kind != RequestKind::kRelease) continue;
      released = std::max(released, sent->generation);
      if (sent->told_held) return Describe(*sent) + " while told held";
      if (sent->work_running) return Describe(*sent) + " under work";
    }
  }
  return std::nullopt;
}

Verdict OthersFieldsAreKept(const History& history) {
  if (!NeverRestored(history, true)) return std::nullopt;
  for (const Applied& applied : history.applied) {
    if (!applied.document_kept) return "lost by " + applied.mark;
  }
  return std::nullopt;
}

Verdict OneRequestInFlight(const History& history) {
  return FirstSent(history,
                   [](const Sent& sent) { return sent.other_in_flight; });
}

int BusiestMinute(const History& history, TrueTime from) {
  int most = 0;
  for (const auto& [lane, all] : ByLane(history)) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      while (all[i]->at - all[first]->at > std::chrono::minutes(1) ||
             (first < i && all[first]->at < from)) {
        ++first;
      }
      if (all[first]->at < from) continue;
      most = std::max(most, static_cast<int>(i - first) + 1);
    }
  }
  return most;
}

Verdict FreshReadsAndWatchesAreSpaced(const History& history) {
  const auto never = [](const Lane&, TrueTime, TrueTime) { return false; };
  if (const Beside* bad = FirstTooSoon(history, history.fresh_reads, never)) {
    return Describe(*bad, "fresh read");
  }
  std::map<Lane, std::vector<TrueTime>> writes;
  for (const Sent& sent : history.sent) {
    if (sent.kind == RequestKind::kRead) continue;
    writes[{sent.node, sent.lease, sent.process}].push_back(sent.at);
  }
  const auto wrote = [&](const Lane& lane, TrueTime from, TrueTime to) {
    const std::vector<TrueTime>& sent = writes[lane];
    const auto first = std::lower_bound(sent.begin(), sent.end(), from);
    return first != sent.end() && *first <= to;
  };
  if (const Beside* bad = FirstTooSoon(history, history.watch_starts, wrote)) {
    return Describe(*bad, "watch");
  }
  return std::nullopt;
}

Verdict RequestsAreBounded(const History& history) {
  // The worst that is not a storm: every answer is an error, and each write is
  // followed by the read that settles it; pairs come one retry spacing apart: a
  // quarter of the renew interval, or a second.
  const std::chrono::minutes minute(1);
  const Duration spacing = std::min<Duration>(history.times.renew_interval / 4,
                                              std::chrono::seconds(1));
  const auto bound = 2 * static_cast<int>(minute / spacing) + 30;
  const int most = BusiestMinute(history, TrueTime{0});
  if (most > bound) return std::to_string(most) + " requests in one minute";
  // Nothing fails any more: renewals, as often as they are ever tuned to be and
  // by the fastest clock, and what it takes to find out who holds.
  TrueTime quiet = history.length;
  for (const Incident& incident : history.incidents) {
    if (incident.kind == Incident::Kind::kQuiet) quiet = incident.at;
  }
  const auto calm_bound =
      static_cast<int>(minute * 3 / 2 / history.times.min_renew_interval) + 20;
  const int calm = BusiestMinute(history, quiet);
  if (calm <= calm_bound) return std::nullopt;
  return std::to_string(calm) + " requests in one minute without a fault";
}

Verdict NoStaleWriteIsAccepted(const History& history) {
  const bool unique = NeverRestored(history, false);
  for (const StoreWrite& write : history.store_writes) {
    // After a restore two terms may bear one number: no fence can tell them
    // apart, and docs/safety.md says so.
    if (!unique && write.generation == write.fence_before) continue;
    if (write.accepted && write.term < write.newest_raised_term) {
      return "generation " + std::to_string(write.generation) + " of term " +
             std::to_string(write.term) + " after term " +
             std::to_string(write.newest_raised_term) + " at " +
             std::to_string(write.at.count()) + " ns";
    }
  }
  return std::nullopt;
}

bool UnfencedStoreWasCorrupted(const History& history) {
  return std::any_of(history.store_writes.begin(), history.store_writes.end(),
                     [](const StoreWrite& write) { return write.corrupts; });
}

const std::vector<Checker>& AllCheckers() {
  static const std::vector<Checker> kCheckers = {
      {"S1 NoTwoHeldAtOnce", NoTwoHeldAtOnce},
      {"S2 NoClaimOutlivesATakeOver", NoClaimOutlivesATakeOver},
      {"S3 AuthorityComesFromAnAppliedWrite", AuthorityComesFromAnAppliedWrite},
      {"S4 WritesAreIdentified", WritesAreIdentified},
      {"S5 MarksAreFresh", MarksAreFresh},
      {"S6 EndedTermsStayEnded", EndedTermsStayEnded},
      {"S6 OwnReturnWaitsForTheWork", OwnReturnWaitsForTheWork},
      {"S7 GenerationsRise", GenerationsRise},
      {"S7 AcquiresAboveTheFloor", AcquiresAboveTheFloor},
      {"S9 NoneHeldWhenAForeignElectorAcquires",
       NoneHeldWhenAForeignElectorAcquires},
      {"S10 ReleaseEndsItsTerm", ReleaseEndsItsTerm},
      {"S10 ChildrenDieBeforeTheClaimEnds", ChildrenDieBeforeTheClaimEnds},
      {"S11 OthersFieldsAreKept", OthersFieldsAreKept},
      {"S13 OneRequestInFlight", OneRequestInFlight},
      {"S13 RequestsAreBounded", RequestsAreBounded},
      {"S13 FreshReadsAndWatchesAreSpaced", FreshReadsAndWatchesAreSpaced},
      {"fence NoStaleWriteIsAccepted", NoStaleWriteIsAccepted},
      {"L2 SomeoneHoldsAfterFaultsStop", SomeoneHoldsAfterFaultsStop},
  };
  return kCheckers;
}

std::vector<std::string> Violations(const History& history) {
  std::vector<std::string> found;
  for (const Checker& checker : AllCheckers()) {
    if (const Verdict bad = checker.check(history)) {
      found.push_back(std::string(checker.name) + ": " + *bad);
    }
  }
  return found;
}

}  // namespace tenure::sim
