// TwoNodes: two real cores, one Lease on a compare-and-swap server, and every
// choice there is: what becomes of each request, what people do, when time
// passes and who sleeps through it. Node 0's clock is as slow and node 1's as
// fast as the drift allowance permits, and slewed further on one reading.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_EXHAUSTIVE_TWO_NODES_H_
#define TENURE_TESTS_EXHAUSTIVE_TWO_NODES_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sidecar/authority/lease_authority.h"
#include "tests/sim/api_server_model.h"

namespace tenure::exhaustive {

inline constexpr int kNodes = 2;

enum class Choice : std::uint8_t {
  kWait,       // until the next deadline of either, which is kept in time
  kDoze,       // both stand still for just less than a claim lasts
  kOversleep,  // both stand still for longer than a lease lasts
  // For one node:
  kDeliver,  // its request is applied and answered
  kApply,    // applied; the answer is on its way
  kAnswer,   // that answer arrives
  kBreak,    // the connection breaks; the request may land later
  kLand,     // it does
  kTell,     // the watch shows it the Lease as it is now
  kRestart,
  kRelease,
  kWork,
  kDone,
  kDrain,
  // By people:
  kDelete,
  kEmpty,
  kRelabel,
  kShorten,
};
inline constexpr int kChoices = static_cast<int>(Choice::kShorten) + 1;

struct Move {
  Choice choice = Choice::kWait;
  std::uint8_t node = 0;
};

std::string MoveName(const Move& move);

// How often each rule was put to the test.
using RuleCounts = std::map<std::string, std::int64_t>;

class TwoNodes {
 public:
  explicit TwoNodes(RuleCounts* counts);

  // The moves that can be made now.
  std::vector<Move> Moves() const;
  // Makes one; the first rule it broke, or nothing.
  std::optional<std::string> Make(const Move& move);

  // Who is told "held" now; -1: nobody.
  int Holder() const;

  void SetCounts(RuleCounts* counts) { counts_ = counts; }

  // What distinguishes this state for all that can follow, as far as it shows.
  std::uint64_t Fingerprint() const;

 private:
  struct Node {
    std::string identity;
    std::unique_ptr<LeaseAuthority> core;
    std::optional<Request> request;     // in flight
    std::optional<sim::Answer> answer;  // applied, on its way
    Duration sent_at{0};
    std::optional<Request> lost;  // given up, may still land
    bool work = false;
    std::int64_t work_generation = 0;
    std::int64_t released = 0;  // highest generation it sent a release of
    std::vector<Request> writes;
    std::vector<Moment> write_moments;
  };

  Moment Now(int node) const;
  std::optional<std::string> Step(int node, const Input& input);
  std::optional<std::string> CheckRequest(int node, const Request& request);
  std::optional<std::string> CheckAnswers();
  std::optional<std::string> CheckTerm(int node,
                                       const AuthoritySnapshot& snapshot);
  std::optional<std::string> Apply(int node, const Request& request,
                                   sim::Answer* answer);
  std::optional<std::string> Wait();
  std::optional<std::string> MakeForNode(const Move& move);
  std::optional<std::string> MakeByPeople(Choice choice);
  void Start(int node);
  void Count(const char* rule) { ++(*counts_)[rule]; }

  RuleCounts* counts_;
  Duration now_{0};
  std::uint64_t entropy_ = 0;
  int starts_ = 0;
  int restarts_ = 0;
  int edits_ = 0;
  std::int64_t acquired_ = 0;  // highest generation of an applied acquisition
  sim::ApiServerModel server_;
  std::array<Node, kNodes> nodes_;
  std::set<std::string> marks_;
  std::set<std::string> applied_;  // marks of applied writes
};

}  // namespace tenure::exhaustive

#endif  // TENURE_TESTS_EXHAUSTIVE_TWO_NODES_H_
