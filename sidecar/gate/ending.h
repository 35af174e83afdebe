// Ending: decides what is still to be done once nothing is left of the command:
// record that its run is done, hold the lease for as long as was asked, report
// the work as done.
//
// Values in, values out: no clock, no I/O.
//
// Thread safety: one thread at a time.
// Invariants: `done` comes last, and in every case; a run is recorded only if
// the command ended with 0 under authority, and nobody had told it to stop.
#ifndef TENURE_GATE_ENDING_H_
#define TENURE_GATE_ENDING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/base/instant.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/report.h"

namespace tenure {

struct EndingOptions {
  std::string once;           // the run id to record; "": none
  int told_to_stop = 0;       // by which signal that was passed on; 0: not
  Duration hold_at_least{0};  // from the grant on
  // How long the answer to `done` is worth waiting for; without it the lease
  // expires unreleased.
  Duration done_limit = std::chrono::seconds(2);
};

class Ending {
 public:
  // `code` is the exit code so far; `lost` whether authority was. The claim is
  // as old as the grant until a newer report is given.
  Ending(const EndingOptions& options, const Report& grant, int code,
         bool lost);

  void OnReport(const Report& report, const Instant& now);
  // The answer to POST /v1/run was no.
  void OnRunRefused(const std::string& why);
  // No run was recorded, and none will be.
  void OnSignal() { hold_ = false; }
  // POST /v1/done was answered, or its answer was lost.
  void OnDone() { done_ = true; }
  // Neither question reached the sidecar: ask again.
  void OnNotSent(const Instant& now);

  enum class Step { kWait, kRecord, kReport, kEnd };
  // What is due; kRecord and kReport once each, unless they were not sent.
  Step Decide(const Instant& now);
  Duration NextDeadline(const Instant& now) const;

  // How long the claim known now still runs: when to ask for a newer one.
  Duration Claimed(const Instant& now) const { return claim_.Remaining(now); }
  bool recording() const { return recording_; }  // and not done with it
  int exit_code() const { return code_; }
  // One line for a person; empty: nothing.
  const std::string& trouble() const { return trouble_; }

 private:
  void GiveUpRecording(const std::string& why);
  bool Holding(const Instant& now) const;

  const EndingOptions options_;
  const std::int64_t generation_;
  const Deadline hold_until_;
  Deadline claim_;  // while it runs, what is recorded is ours
  int code_;
  std::string trouble_;
  bool recording_ = false;
  bool hold_ = true;
  bool record_due_ = false;
  bool report_due_ = true;
  bool done_ = false;
  std::optional<Deadline> again_;
  std::optional<Deadline> give_up_;  // waiting for the answer to `done`
};

}  // namespace tenure

#endif  // TENURE_GATE_ENDING_H_
