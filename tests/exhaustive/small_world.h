// SmallWorld: two or three real cores and one Lease on a compare-and-swap
// server, moved one move at a time. It can be copied, so that every move can be
// tried from every state.
//
// Clocks: node A is as slow, the others are as fast as the drift allowance
// permits, and each boot clock is slewed beyond it: the holder must believe the
// longer reading, the contender the shorter. True time runs in whole
// milliseconds, so that all of it is exact.
//
// Thread safety: one thread at a time.
#ifndef TENURE_TESTS_EXHAUSTIVE_SMALL_WORLD_H_
#define TENURE_TESTS_EXHAUSTIVE_SMALL_WORLD_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/authority/lease_authority.h"
#include "tests/exhaustive/moves.h"
#include "tests/exhaustive/rules.h"
#include "tests/exhaustive/state_hash.h"
#include "tests/sim/api_server_model.h"

namespace tenure::exhaustive {

class SmallWorld {
 public:
  using Broken = std::optional<std::string>;

  // At most so many events: moves that are neither time nor the fate of a
  // message.
  SmallWorld(int nodes, int most_events, RuleCounts* counts);

  // The moves that can be made now.
  std::vector<Move> Moves() const;
  // Makes one; the first rule it broke, or nothing.
  Broken Make(const Move& move);

  // That an answer which the last move brought, or gave up, changes nothing
  // when it comes (again).
  Broken CheckLateAnswer();

  // With no more trouble, somebody is told held within a bounded number of
  // deliveries and waits. Changes the world: ask a copy.
  Broken CheckLiveness();

  // Who is told "held" now; -1: nobody.
  int Holder() const;

  // What distinguishes this state for all that can follow.
  Fingerprint GetFingerprint() const;

  void SetCounts(RuleCounts* counts) { counts_ = counts; }

 private:
  // A request on its way, and what the server answered.
  struct Flight {
    Request request;
    Moment sent;       // on the node's clocks
    Duration sent_at;  // in true time
    std::optional<sim::Answer> answer;
  };
  struct Late {
    int node = 0;
    RequestDone done;
  };
  struct Grant {
    std::int64_t generation = 0;
    Moment sent;
    std::string mark;
  };
  struct Node {
    std::string identity;
    std::optional<LeaseAuthority> core;
    AuthoritySnapshot snapshot;  // as of its last step
    std::optional<Flight> flight;
    std::optional<Flight> lost;  // given up, may still land
    bool work = false;
    std::int64_t work_generation = 0;
    std::int64_t released = 0;  // highest generation it sent a release of
    Grant granted;              // by its last applied holder write
    // The last of its writes whose outcome it does not know.
    std::optional<RequestKind> unknown;
    Duration wall_ahead{0};
    bool streaming = false;
    std::int64_t told = 0;  // newest revision its watch showed
  };

  Moment Now(int node) const { return At(node, now_); }
  Moment At(int node, Duration true_time) const;
  bool ByPeople(const Move& move) const;
  void AddMovesOf(std::uint8_t node, std::vector<Move>* moves) const;

  Broken Step(int node, const Input& input);
  Broken Pass(Duration by);
  Broken Wait(int sleeper);
  Broken MakeForNode(const Move& move);
  Broken MakeByPeople(Choice choice);
  Broken Break(int node);
  Broken Tell(int node);
  Broken Land(int node);
  Broken Apply(int node, Flight* flight);
  void Start(int node);
  Duration DueIn(int node) const;
  Duration NextEdge(int sleeper) const;
  Duration ClaimRunsFor() const;
  void DropDeadLetters();
  void SettleByRead(int node, const sim::Answer& answer);
  void SettleByEvent(int node, const WatchEvent& event);
  void DropOldGrant(Node* node) const;

  Broken CheckRequest(int node, const Request& request, const Entropy& entropy);
  Broken CheckApplied(int node, const Flight& flight,
                      const std::string& document);
  Broken CheckAnswers();
  Broken CheckTerm(int node);

  void AddState(const std::array<int, kMostNodes>& order,
                StateHash* hash) const;
  void AddNode(int node, StateHash* hash) const;
  Fingerprint FingerprintInOrder(
      const std::array<int, kMostNodes>& order) const;

  void Count(Rule rule) { counts_->Add(rule); }
  Node& At(int node) { return nodes_[static_cast<std::size_t>(node)]; }
  const Node& At(int node) const {
    return nodes_[static_cast<std::size_t>(node)];
  }

  RuleCounts* counts_;
  int count_;
  int most_events_;
  Duration now_ = std::chrono::hours(1);
  std::uint64_t entropy_ = 0;
  int events_ = 0;
  int restarts_ = 0;
  std::int64_t acquired_ = 0;  // highest generation of an applied acquisition
  std::optional<Late> late_;   // since the last move
  sim::ApiServerModel server_;
  std::array<Node, kMostNodes> nodes_;
};

}  // namespace tenure::exhaustive

#endif  // TENURE_TESTS_EXHAUSTIVE_SMALL_WORLD_H_
