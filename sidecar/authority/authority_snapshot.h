// AuthoritySnapshot: what the core publishes for readers: deadlines, not flags.
//
// CertaintyAt() computes the answer from it at the moment of asking (S1), so a
// driver that hangs or was frozen cannot leave a stale "held" behind.
//
// Thread safety: immutable once published.
#ifndef TENURE_AUTHORITY_AUTHORITY_SNAPSHOT_H_
#define TENURE_AUTHORITY_AUTHORITY_SNAPSHOT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/authority/run_id.h"
#include "sidecar/base/instant.h"

namespace tenure {

enum class Certainty { kHeld, kStandby, kUncertain };

// "held", "standby", "uncertain".
const char* CertaintyName(Certainty certainty);

// A wall clock this far ahead of the boot clock since `sent` means a hidden
// pause; a leap second must not count (design, "Time").
inline constexpr Duration kWallDoubt = std::chrono::seconds(2);

// Whether that happened since `sent`.
bool PauseWasHidden(const Moment& sent, const Moment& now);

struct TermSnapshot {
  std::int64_t generation = 0;
  Moment sent;            // just before the last acknowledged write
  Duration renew_by{0};   // after sent: doubt begins
  Duration valid_for{0};  // after sent: the claim ends
  // A hidden pause was noticed and no later renewal is acknowledged yet.
  bool clock_doubt = false;
};

// What an answer rests on, and nothing else.
struct CertaintyGrounds {
  std::optional<TermSnapshot> term;
  // The first read was answered, and no acquisition's outcome is unknown.
  bool settled = false;
  // The last sign of life from the API server, and how long it counts.
  Instant server_seen;
  Duration silence_limit{0};
};

struct AuthoritySnapshot : CertaintyGrounds {
  std::string identity;

  bool draining = false;
  bool finished = false;
  std::int32_t work_running = 0;
  // Ids of runs that are to happen once; at most WorkRegistry::kMaxRuns.
  std::vector<std::string> runs_under_way;

  // What was observed of the record; holder empty: nobody. holder_generation 0:
  // none, or not the holder's own.
  std::string holder;
  std::int64_t holder_generation = 0;
  LastRun last_run;
  // Why it cannot acquire and the way out; empty if nothing is in the way.
  std::string refusal;
  const char* refusal_reason = "";  // a machine word: "forbidden", ...
  // Why the last request got no answer from the API server; empty if it did.
  std::string server_error;
  // How long the record must stand still before it may be taken (S9).
  Duration take_over_wait{0};

  // Effective times and what was measured; 0 if nothing was yet.
  std::int32_t lease_duration_seconds = 0;
  Duration renew_deadline{0};
  Duration renew_interval{0};  // as tuned now
  Duration try_limit{0};       // as tuned now
  Duration round_trip_last{0};
  Duration round_trip_p99{0};
  Duration margin{0};                   // D - P - p99 pause - p99 round trip
  std::int64_t renewals = 0;            // acknowledged in this process
  std::int64_t highest_generation = 0;  // witnessed by this process
  WallTime last_renewal;                // wall stamp of `sent`; 0: never
};

struct CertaintyAnswer {
  Certainty certainty = Certainty::kUncertain;
  // Why, as a machine word: "renewBy", "clock", "unsettled", "silence",
  // "draining"...; empty for a plain held or standby.
  const char* reason = "";
  std::int64_t generation = 0;    // only while held
  Duration until_renew_by{0};     // 0 unless held
  Duration until_valid_until{0};  // 0 unless in a term that has not ended
};

// The only place that turns a snapshot into an answer.
CertaintyAnswer CertaintyAt(const CertaintyGrounds& grounds, const Moment& now);

}  // namespace tenure

#endif  // TENURE_AUTHORITY_AUTHORITY_SNAPSHOT_H_
