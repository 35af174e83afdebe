// CoreOracle: one LeaseAuthority, and what must hold of it whatever a server, a
// clock or a person does. Numbers as in docs/safety.md.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_FUZZ_CORE_ORACLE_H_
#define TENURE_TESTS_FUZZ_CORE_ORACLE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sidecar/authority/lease_authority.h"

namespace tenure::fuzz {

class CoreOracle {
 public:
  explicit CoreOracle(const AuthorityOptions& options);

  // Gives the core one input, and ticks at once where it asks for it.
  void Give(const Moment& now, const Input& input);

  const std::optional<Request>& in_flight() const { return in_flight_; }
  const std::vector<Request>& sent() const { return sent_; }
  Duration NextDeadline(const Moment& now) const {
    return core_.NextDeadline(now);
  }
  std::int64_t generation() const;  // of the term; 0: none

 private:
  struct Told {
    LeaseRecord record;
    Instant when;
  };

  void Step(const Moment& now, const Input& input);
  void Hear(const Moment& now, const Input& input);
  void CheckReply(const Moment& now, const Input& input,
                  const AuthoritySnapshot& before, const Output& output);
  void CheckRequest(const Moment& now, const Request& request);
  void CheckAcquire(const Moment& now, const LeaseWrite& write,
                    const LeaseRecord& base);
  void CheckTerm(const Moment& now, bool answered,
                 const AuthoritySnapshot& before);
  const LeaseRecord* BaseOf(const LeaseWrite& write) const;
  bool Acknowledged(const Request& request) const;

  const AuthorityOptions options_;
  LeaseAuthority core_;
  std::uint64_t entropy_ = 0;
  std::optional<Request> in_flight_;
  std::vector<Request> sent_;    // writes
  std::vector<Moment> sent_at_;  // of each
  std::vector<Told> told_;       // records, in order
  std::set<std::string> marks_;
  std::int64_t ended_ = 0;     // highest generation of a term that ended
  std::int64_t released_ = 0;  // highest generation released
  std::int64_t floor_ = 0;
  std::int32_t work_ = 0;
  bool contends_ = true;
};

}  // namespace tenure::fuzz

#endif  // TENURE_TESTS_FUZZ_CORE_ORACLE_H_
