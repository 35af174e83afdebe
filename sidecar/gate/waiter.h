// Waiter: decides, before a command runs, when its work may be registered, and
// when waiting for the lease is given up.
//
// Values in, values out: no clock, no I/O.
//
// Thread safety: one thread at a time.
#ifndef TENURE_GATE_WAITER_H_
#define TENURE_GATE_WAITER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/base/instant.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/exit_codes.h"
#include "sidecar/gate/report.h"

namespace tenure {

struct WaiterOptions {
  Duration timeout{0};  // 0: none
  int not_obtained = kGateNotObtained;
  std::string once;  // a run that must be new; "": any number of runs
  // A sidecar that is starting, or restarting, is waited for this long.
  Duration reach = std::chrono::seconds(10);
  // It is a child of ours: while it lives it is only not ready yet.
  bool own_sidecar = false;
};

// Whether the signal is one that asks a program to end.
bool EndsPrograms(int signal);

// The end without the command having run.
struct GiveUp {
  int exit_code = 0;
  std::string message;  // one line
};

class Waiter {
 public:
  Waiter(const WaiterOptions& options, const Instant& now);

  void OnReport(const Report& report);
  // No connection, or none that answers; `why` is one line.
  void OnUnreachable(const std::string& why, const Instant& now);
  // The sidecar refuses the question itself (4xx): no answer will come.
  void OnRefused(const std::string& why);
  // POST /v1/work was answered no: the state had changed by then.
  void OnWorkRefused(const std::string& why);
  void OnSignal(int signal);

  // The generation to register work under, once for each report that it is
  // held.
  std::optional<std::int64_t> TakeWork();
  // Whether it waits for another start of the same run to be over.
  bool UnderWay() const;
  std::optional<GiveUp> Decide(const Instant& now) const;
  Duration NextDeadline(const Instant& now) const;
  // Of the timeout; Duration::max(): there is none.
  Duration TimeLeft(const Instant& now) const;

 private:
  void Judge(const Report& report);
  GiveUp OutOfTime() const;
  bool NoServer() const;
  std::string Situation() const;

  const WaiterOptions options_;
  const Instant start_;
  Instant reached_;  // the last sign of a sidecar
  std::optional<Report> report_;
  std::optional<GiveUp> judged_;  // of a run that is not to begin
  bool work_due_ = false;
  std::string unreachable_;  // why; empty: it is not
  std::string refused_;
  std::string work_refused_;
  int signal_ = 0;
};

}  // namespace tenure

#endif  // TENURE_GATE_WAITER_H_
