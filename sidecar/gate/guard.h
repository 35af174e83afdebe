// Guard: decides what becomes of a command while it runs under a lease: what it
// is told when authority is in doubt, and that it is dead before the claim
// ends.
//
// Values in, values out: it reads no clock and touches no process. gate.cc
// carries its decisions out, and repeats its deadline to the watchdog.
//
// Thread safety: one thread at a time.
// Invariants: the kill deadline moves only by a report that the same generation
// is held (S3), never after it has passed and never once the command was told
// to stop; a loss is never withdrawn (S6).
#ifndef TENURE_GATE_GUARD_H_
#define TENURE_GATE_GUARD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/report.h"

namespace tenure {

// What the command is told at renew_by: SIGTERM; SIGSTOP, and SIGCONT if
// certainty returns; or nothing. It is dead before valid_until all the same.
enum class OnUncertain { kStop, kPause, kIgnore };

// To wake, to signal and to die takes time, on a busy machine more.
inline constexpr Duration kLeastKillMargin = std::chrono::milliseconds(50);

struct GuardOptions {
  OnUncertain on_uncertain = OnUncertain::kStop;
  // Killing begins this long before valid_until: the least at least, but never
  // before the middle between renew_by and valid_until.
  Duration kill_margin = std::chrono::milliseconds(500);
  // What the command leaves running is told to stop, and killed after this.
  Duration sweep_grace = std::chrono::seconds(2);
};

struct GuardOrders {
  std::vector<int> to_group;  // signals for the command's process group
  std::vector<int> to_all;    // signals for every descendant
  bool kill = false;          // every descendant, again until none is left
};

// One line if a kill margin other than the usual one is longer than `grant`
// leaves room for; else "".
std::string ShortenedMargin(const GuardOptions& options, const Report& grant);

class Guard {
 public:
  // `grant` is the answer that registered the work. REQUIRES: it is held.
  Guard(const GuardOptions& options, const Report& grant);

  void OnReport(const Report& report, const Instant& now);
  void OnSignal(int signal);  // one to be passed on
  // The command itself ended; `code` as shells report it.
  void OnExit(int code, const Instant& now);
  // Nothing of it is left.
  void OnGone();

  // What is to be done now; each order is given once, `kill` until OnGone.
  GuardOrders Decide(const Instant& now);
  // How long until Decide has more to say, if nothing is reported.
  Duration NextDeadline(const Instant& now) const;

  std::int64_t generation() const { return generation_; }
  const Deadline& kill_at() const { return kill_at_; }
  // How long the answer known now stays certain: when to ask again.
  Duration Certain(const Instant& now) const;
  bool gone() const { return gone_; }
  // Why authority was lost while the command ran; empty: it was not.
  const std::string& loss() const { return loss_; }
  // Of the command; empty: it was never seen to end.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  void PassTime(const Instant& now);
  void Doubt(const std::string& why);
  void Lose(const std::string& why);
  void Extend(const Report& report, const Instant& now);
  bool Firm() const;  // no report changes anything any more

  const GuardOptions options_;
  const std::int64_t generation_;
  Deadline doubt_at_;
  Deadline kill_at_;
  // The sidecar doubts its clocks: what remains until the command is told.
  std::optional<Deadline> clock_doubt_;
  std::optional<Deadline> sweep_at_;

  std::vector<int> signals_;  // waiting to be passed on; bounded
  GuardOrders orders_;
  bool told_ = false;    // SIGTERM was ordered
  bool paused_ = false;  // SIGSTOP was ordered, and no SIGCONT since
  bool killing_ = false;
  bool gone_ = false;
  std::string loss_;
  std::optional<int> exit_code_;
};

}  // namespace tenure

#endif  // TENURE_GATE_GUARD_H_
