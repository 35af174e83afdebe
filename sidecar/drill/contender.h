// Contender: a pod of a drill: a sidecar, and a writer behind `tenure exec`.
//
// Thread safety: the main thread of a process that has no other: it forks.
// Invariants: what a sidecar is said to have answered, it answered between two
// instants that are known.
#ifndef TENURE_DRILL_CONTENDER_H_
#define TENURE_DRILL_CONTENDER_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/drill/child.h"
#include "sidecar/drill/event.h"
#include "sidecar/drill/writer.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/local_link.h"
#include "sidecar/gate/report.h"

namespace tenure {

class Contender {
 public:
  Contender(std::string folder, SignalState signals, WriterOptions writer);

  const std::string& name() const { return writer_options_.name; }

  // `run_flags` are of `tenure run`, without the sockets.
  Result<void> StartSidecar(
      const std::vector<std::string>& run_flags,
      std::vector<std::pair<std::string, std::string>> environment);
  Result<void> StartWrapper();

  // Asks the sidecar, if no question is open. An event if nobody is there who
  // was; instants are on the boot clock.
  std::optional<DrillEvent> Ask(const Instant& now);
  int fd() const { return link_.waiting() ? link_.fd() : -1; }
  // While a question is open; an event if it is answered otherwise than the
  // last one.
  std::optional<DrillEvent> Receive(const Instant& now);
  const std::optional<Report>& report() const { return report_; }
  // When the question was sent whose answer came last.
  const Instant& last_asked() const { return last_asked_; }
  bool Held() const {
    return report_ && report_->certainty == Certainty::kHeld;
  }

  // Every process at once, as a paused pod; and the way back in the worst
  // order: first the writer, later those that guard it.
  void Freeze();
  void ResumeWriter(pid_t writer);
  void ResumeGuards();
  bool frozen() const { return frozen_; }

  // The sidecar and the wrapper, as when a pod is killed; neither comes back.
  void Kill();
  // The work is over: ends the writer, then the sidecar releases.
  void StopWork(pid_t writer);
  void StopSidecar();
  bool HasEnded() const { return sidecar_ == 0 && wrapper_ == 0; }
  bool HasStoppedWork() const { return wrapper_ == 0; }

  // Reaps what ended; a wrapper is started again, as a kubelet would. The
  // error says that a sidecar ended of which nobody wanted it.
  Result<void> LookAfter(const Instant& now);

 private:
  std::optional<DrillEvent> Hear(std::optional<Report> report,
                                 const Instant& now);
  std::string Path(const char* suffix) const {
    return folder_ + "/" + name() + suffix;
  }

  const std::string folder_;
  const SignalState signals_;
  const WriterOptions writer_options_;
  LocalLink link_;
  pid_t sidecar_ = 0;
  pid_t wrapper_ = 0;
  bool restarts_ = true;
  bool frozen_ = false;
  std::optional<Deadline> restart_at_;
  Instant asked_;
  Instant last_asked_;  // of the last answer that came
  std::optional<Report> report_;
};

}  // namespace tenure

#endif  // TENURE_DRILL_CONTENDER_H_
