// SidecarTalk: asks a sidecar for its state when there is reason to, and one
// control question at a time in between; never makes its owner wait.
//
// Thread safety: one thread at a time.
// Invariants: every answer carries the instant before its question was sent
// (S1). A watched event is only a cue to ask.
#ifndef TENURE_GATE_SIDECAR_TALK_H_
#define TENURE_GATE_SIDECAR_TALK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/authority/run_id.h"
#include "sidecar/base/instant.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/local_link.h"

namespace tenure {

// What came of one question.
struct Heard {
  enum class Kind { kState, kWork, kRun, kDone };
  Kind kind = Kind::kState;
  Instant asked;
  int status = 0;    // 0: no answer
  std::string text;  // the body, or why there is none
  bool sent = true;  // false: certainly not asked
};

class SidecarTalk {
 public:
  // `lease` may be empty.
  SidecarTalk(const std::string& control_socket, const std::string& lease);

  // Asks for the state again, at once or after `wait`, whichever was sooner.
  void AskAgain(const Instant& now, Duration wait);
  // Asked before the state is; one at a time.
  void AskControl(Heard::Kind kind, std::int64_t generation,
                  const std::string& lease, const WorkRun& run);
  // From now on the sidecar hears, with questions for the state, that we carry
  // out this run.
  void Keep(const WorkRun& run) { kept_ = run; }
  // From now on the state of this lease: of several slots, the one that was
  // granted.
  void Follow(const std::string& lease);
  // No more events, and no more questions but control's.
  void StopAsking();

  // Sends what is due. May have something to say at once: no connection.
  std::optional<Heard> Send(const Instant& now);
  // Reads what is there. Call after polling the descriptors.
  std::optional<Heard> Receive(const Instant& now);
  Duration NextDeadline(const Instant& now) const;

  int link_fd() const { return link_.fd(); }
  int feed_fd() const { return feed_.fd(); }

 private:
  struct Control {
    Heard::Kind kind;
    std::int64_t generation;
    std::string lease;
    WorkRun run;
  };

  static std::string ControlTarget(const Control& control);

  std::string StateTarget(const Instant& now);
  void KeepWatching(const Instant& now);

  std::string lease_;
  LocalLink link_;
  EventFeed feed_;
  std::optional<Deadline> next_;  // state
  std::optional<Deadline> watch_again_;
  std::optional<Control> control_;
  Heard question_;  // while link_.waiting()
  WorkRun kept_;
  std::optional<Deadline> keep_again_;
  bool asking_ = true;
};

}  // namespace tenure

#endif  // TENURE_GATE_SIDECAR_TALK_H_
