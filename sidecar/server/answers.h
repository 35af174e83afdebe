// Answers: what a resolved request is told at one moment. Nothing here
// remembers an earlier answer (S1).
//
// Thread safety: pure functions.
#ifndef TENURE_SERVER_ANSWERS_H_
#define TENURE_SERVER_ANSWERS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sidecar/authority/output.h"
#include "sidecar/server/http_message.h"
#include "sidecar/server/routes.h"
#include "sidecar/server/sight.h"

namespace tenure {

// Fills `reply`, which is clear. With plan.lease set, `sight.leases` holds that
// lease alone, else all of them. Not for kMetrics (its text is telemetry's)
// nor for the control routes.
void Answer(const Plan& plan, const Sight& sight, HttpReply* reply);

// As Answer, for what the loop was asked first. A work that was registered but
// is no longer covered at this moment is refused: it must not begin.
void AnswerFromLoop(const Plan& plan, const Sight& sight,
                    const ControlReply& said, HttpReply* reply);

// What of the status document makes an event when it changes: a transition or
// an acknowledged renewal, not that a request left or was timed.
struct EventNews {
  Certainty certainty = Certainty::kUncertain;
  std::string_view reason;  // static
  std::int64_t generation = 0;
  std::int64_t renewals = 0;
  bool draining = false;
  bool finished = false;
  std::int32_t work_running = 0;
  std::string holder;
  std::int64_t holder_generation = 0;
  std::string last_run;
  std::string refusal;
  std::string server_error;
  std::int32_t lease_duration_seconds = 0;

  friend bool operator==(const EventNews&, const EventNews&) = default;
};

EventNews NewsOf(const AuthoritySnapshot& snapshot, const Moment& now);

// One event of an event stream: the status document.
void AppendEvent(const Sight& sight, std::string* out);

// How long until the answer changes by time alone; Duration::max() if it does
// not.
Duration UntilChange(const AuthoritySnapshot& snapshot, const Moment& now);

}  // namespace tenure

#endif  // TENURE_SERVER_ANSWERS_H_
