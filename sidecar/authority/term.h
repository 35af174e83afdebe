// What the core remembers of a term, of the writes it sent, and of what is in
// the way. Values; private to sidecar/authority.
#ifndef TENURE_AUTHORITY_TERM_H_
#define TENURE_AUTHORITY_TERM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/authority/lease_record.h"
#include "sidecar/authority/output.h"
#include "sidecar/authority/run_id.h"
#include "sidecar/base/instant.h"

namespace tenure {

// Writes of unknown outcome that are remembered: more tries than an API server
// keeps a request on its way for.
inline constexpr std::size_t kMaxUnsettled = 64;
// Marks of ours that are remembered: those, and some that older events show.
inline constexpr std::size_t kMaxOwnMarks = kMaxUnsettled + 32;

// A write that left, until its outcome is known.
struct SentWrite {
  RequestKind kind = RequestKind::kRenew;
  Moment sent;
  std::string mark;  // tenure.dev/write
  std::string uid;
  std::string based_on;  // resource version: it can land only on this one
  std::int64_t generation = 0;
  std::uint64_t term = 0;    // serial; 0: of no term
  bool after_doubt = false;  // sent after a hidden pause was noticed
};

// The request in flight.
struct Pending {
  std::uint64_t id = 0;
  Duration limit{0};
  SentWrite write;  // for kRead only kind and sent
};

struct Term {
  std::uint64_t serial = 0;
  std::string uid;
  std::int64_t generation = 0;
  Moment sent;
  Duration renew_after{0};  // after sent, jittered
  bool clock_doubt = false;
  // To be recorded in this term: written at once, and in every renewal until
  // the record shows it.
  std::optional<LastRun> run_wanted;
  bool run_due = false;
};

// A release that is not acknowledged yet: the same one is sent again until it
// is, or until the lease has run out for everybody.
struct Release {
  std::string uid;
  std::int64_t generation = 0;
  Instant sent_before;  // the ended term's last acknowledged write
};

// What is in the way of acquiring. It lasts until the record changes; one that
// was an answer of the server only until the next answer.
struct Refusal {
  std::string message;      // empty: nothing
  const char* reason = "";  // as in the transition
  bool by_answer = false;
};

// "Not before `wait` after `from`".
struct Gate {
  Instant from;
  Duration wait{0};
  Duration Remaining(const Instant& now) const;
};

// What people are told of a record that could not be decoded.
std::string UnreadableMessage(const LeaseRecord& record);

}  // namespace tenure

#endif  // TENURE_AUTHORITY_TERM_H_
