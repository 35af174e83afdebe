// Claims about instants: who could be told what, and when.
#include <algorithm>
#include <chrono>
#include <functional>

#include "tests/sim/checkers.h"

namespace tenure::sim {
namespace {

using std::chrono::seconds;

std::string At(TrueTime time) {
  return " (at " +
         std::to_string(
             std::chrono::duration_cast<std::chrono::milliseconds>(time)
                 .count()) +
         " ms)";
}

// Replays what readers of every node could be told.
class Readers {
 public:
  explicit Readers(const History& history)
      : history_(history),
        boards_(history.clocks.size() *
                static_cast<std::size_t>(history.leases)),
        unreliable_(history.clocks.size(), 0),
        ever_unreliable_(history.clocks.size(), false),
        excused_until_(static_cast<std::size_t>(history.leases)) {}

  // Calls `look(time, lease)` after each change that can make an answer "held":
  // a term was published. Time by itself only ends answers.
  Verdict Replay(const std::function<Verdict(TrueTime, int)>& look,
                 const std::function<Verdict(const Incident&)>& on_incident) {
    std::size_t next = 0;
    for (const Published& published : history_.published) {
      while (next < history_.incidents.size() &&
             history_.incidents[next].at <= published.at) {
        if (Verdict bad = Take(history_.incidents[next++], on_incident)) {
          return bad;
        }
      }
      boards_[Slot(published.node, published.lease)] = &published;
      if (!published.grounds.term) continue;
      if (Verdict bad = look(published.at, published.lease)) return bad;
    }
    return std::nullopt;
  }

  CertaintyAnswer Ask(int node, int lease, TrueTime at) const {
    const Published* board = boards_[Slot(node, lease)];
    if (board == nullptr || !board->alive) return CertaintyAnswer{};
    return CertaintyAt(board->grounds,
                       history_.clocks[static_cast<std::size_t>(node)].At(at));
  }
  bool Held(int node, int lease, TrueTime at) const {
    const Published* board = boards_[Slot(node, lease)];
    if (board == nullptr || !board->grounds.term) return false;
    return Ask(node, lease, at).certainty == Certainty::kHeld;
  }
  // Two processes with one identity and one stream of random bits: nobody can
  // tell them apart, themselves included (docs/safety.md).
  bool Indistinguishable(int a, int b, int lease) const {
    const Published* one = boards_[Slot(a, lease)];
    const Published* other = boards_[Slot(b, lease)];
    return history_.clones_share_entropy && one != nullptr &&
           other != nullptr && one->identity == other->identity;
  }
  int nodes() const { return static_cast<int>(history_.clocks.size()); }
  // The node's clock is outside what is assumed of clocks, now or ever.
  bool Unreliable(int node) const {
    return unreliable_[static_cast<std::size_t>(node)] > 0;
  }
  bool EverUnreliable(int node) const {
    return ever_unreliable_[static_cast<std::size_t>(node)];
  }
  // A restore may bring back a released record under a live holder, and, while
  // revisions recur, compare-and-swap itself does not hold.
  bool Excused(int lease, TrueTime at) const {
    return at < excused_until_[static_cast<std::size_t>(lease)];
  }

 private:
  std::size_t Slot(int node, int lease) const {
    return static_cast<std::size_t>(node * history_.leases + lease);
  }

  Verdict Take(const Incident& incident,
               const std::function<Verdict(const Incident&)>& on_incident) {
    const auto node = static_cast<std::size_t>(incident.node);
    if (incident.kind == Incident::Kind::kClockUnreliable) {
      ++unreliable_[node];
      ever_unreliable_[node] = true;
    }
    if (incident.kind == Incident::Kind::kClockReliable) --unreliable_[node];
    const bool restored = incident.kind == Incident::Kind::kRestored;
    if (restored || incident.kind == Incident::Kind::kRevisionsNew) {
      const Duration over =
          seconds(history_.times.lease_duration_seconds) * 13 / 10 + seconds(5);
      excused_until_[static_cast<std::size_t>(incident.lease)] =
          restored && incident.number == 0 ? TrueTime::max()
                                           : incident.at + over;
    }
    return on_incident ? on_incident(incident) : std::nullopt;
  }

  const History& history_;
  std::vector<const Published*> boards_;
  std::vector<int> unreliable_;
  std::vector<bool> ever_unreliable_;
  std::vector<TrueTime> excused_until_;
};

// --absent-lease=take relies on the fence alone, and beyond the allowance
// nothing else is left.
bool OverlapIsJudged(const History& history) {
  return history.clocks_within_allowance && !history.absent_is_taken;
}

std::string Nodes(int a, int b, int lease) {
  return "nodes " + std::to_string(a) + " and " + std::to_string(b) +
         " on lease " + std::to_string(lease);
}

}  // namespace

Verdict NoTwoHeldAtOnce(const History& history) {
  if (!OverlapIsJudged(history)) return std::nullopt;
  Readers readers(history);
  const auto look = [&](TrueTime at, int lease) -> Verdict {
    int holder = -1;
    for (int node = 0; node < readers.nodes(); ++node) {
      if (readers.Unreliable(node) || readers.Excused(lease, at) ||
          !readers.Held(node, lease, at)) {
        continue;
      }
      if (holder >= 0 && !readers.Indistinguishable(holder, node, lease)) {
        return Nodes(holder, node, lease) + At(at);
      }
      holder = node;
    }
    return std::nullopt;
  };
  return readers.Replay(look, nullptr);
}

Verdict NoClaimOutlivesATakeOver(const History& history) {
  if (!OverlapIsJudged(history)) return std::nullopt;
  Readers readers(history);
  const auto look = [&](TrueTime at, int lease) -> Verdict {
    for (int holder = 0; holder < readers.nodes(); ++holder) {
      if (readers.Excused(lease, at) || readers.EverUnreliable(holder) ||
          !readers.Held(holder, lease, at)) {
        continue;
      }
      for (int other = 0; other < readers.nodes(); ++other) {
        if (other != holder && !readers.EverUnreliable(other) &&
            !readers.Indistinguishable(holder, other, lease) &&
            readers.Ask(other, lease, at).until_valid_until > Duration{0}) {
          return Nodes(holder, other, lease) + At(at);
        }
      }
    }
    return std::nullopt;
  };
  return readers.Replay(look, nullptr);
}

Verdict NoneHeldWhenAForeignElectorAcquires(const History& history) {
  if (!OverlapIsJudged(history)) return std::nullopt;
  Readers readers(history);
  const auto on_incident = [&](const Incident& incident) -> Verdict {
    if (incident.kind != Incident::Kind::kForeignAcquired) {
      return std::nullopt;
    }
    for (int node = 0; node < readers.nodes(); ++node) {
      if (!readers.Unreliable(node) &&
          readers.Held(node, incident.lease, incident.at)) {
        return "node " + std::to_string(node) + At(incident.at);
      }
    }
    return std::nullopt;
  };
  return readers.Replay([](TrueTime, int) -> Verdict { return std::nullopt; },
                        on_incident);
}

Verdict EndedTermsStayEnded(const History& history) {
  struct Lane {
    const Published* last = nullptr;
    std::int64_t ended = 0;  // the highest generation whose term is over
  };
  std::vector<Lane> lanes(history.clocks.size() *
                          static_cast<std::size_t>(history.leases));
  for (const Published& published : history.published) {
    Lane& lane = lanes[static_cast<std::size_t>(
        published.node * history.leases + published.lease)];
    if (!published.alive) {
      lane = Lane{};
      continue;
    }
    const NodeClock& clock =
        history.clocks[static_cast<std::size_t>(published.node)];
    if (lane.last != nullptr && lane.last->grounds.term) {
      const TermSnapshot& before = *lane.last->grounds.term;
      const bool goes_on =
          published.grounds.term &&
          published.grounds.term->generation == before.generation;
      const bool over =
          LongestElapsed(before.sent.instant, clock.At(published.at).instant) >=
          before.valid_for;
      if (over || !goes_on) {
        lane.ended = std::max(lane.ended, before.generation);
      }
    }
    lane.last = &published;
    if (published.grounds.term &&
        published.grounds.term->generation <= lane.ended) {
      return "node " + std::to_string(published.node) + " lease " +
             std::to_string(published.lease) + " generation " +
             std::to_string(published.grounds.term->generation) +
             At(published.at);
    }
  }
  return std::nullopt;
}

Verdict SomeoneHoldsAfterFaultsStop(const History& history) {
  TrueTime quiet = history.length;
  for (const Incident& incident : history.incidents) {
    if (incident.kind == Incident::Kind::kQuiet) quiet = incident.at;
  }
  if (quiet >= history.length) return std::nullopt;
  // The longest recorded duration by a clock at the slow end, then the silence
  // after which a standby reads again, then round trips, back-offs, tries.
  const std::int32_t longest =
      std::max(history.times.lease_duration_seconds, 30);
  const Duration bound = seconds(longest) * 104 / 100 +
                         seconds(history.times.lease_duration_seconds) +
                         seconds(20);
  std::vector<TrueTime> first(static_cast<std::size_t>(history.leases),
                              TrueTime{-1});
  Readers readers(history);
  const auto look = [&](TrueTime at, int lease) -> Verdict {
    TrueTime& seen = first[static_cast<std::size_t>(lease)];
    if (at < quiet || seen >= TrueTime{0}) return std::nullopt;
    for (int node = 0; node < readers.nodes(); ++node) {
      if (readers.Held(node, lease, at)) seen = at;
    }
    return std::nullopt;
  };
  readers.Replay(look, nullptr);
  for (int lease = 0; lease < history.leases; ++lease) {
    const TrueTime seen = first[static_cast<std::size_t>(lease)];
    if (seen < TrueTime{0} || seen > quiet + bound) {
      return "lease " + std::to_string(lease) + " was free for too long" +
             At(quiet) + (seen < TrueTime{0} ? "; never held" : At(seen));
    }
    int holders = 0;
    for (int node = 0; node < readers.nodes(); ++node) {
      holders += readers.Held(node, lease, history.length) ? 1 : 0;
    }
    if (holders != 1 && !history.clones_share_entropy) {
      return std::to_string(holders) + " nodes hold lease " +
             std::to_string(lease) + " in the end";
    }
  }
  return std::nullopt;
}

}  // namespace tenure::sim
