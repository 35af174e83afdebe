// Stage: what a drill is played on: a folder, a store, an API server, the
// contenders, and all that was seen of them.
//
// Thread safety: the main thread of a process that has no other: it forks.
// Invariants: with it every process that it started ends, and its folder goes,
// however it comes to its end.
#ifndef TENURE_DRILL_STAGE_H_
#define TENURE_DRILL_STAGE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/drill/contender.h"
#include "sidecar/drill/event.h"
#include "sidecar/drill/line_stream.h"
#include "sidecar/drill/options.h"
#include "sidecar/drill/server.h"
#include "sidecar/drill/store_client.h"
#include "sidecar/gate/boot_timer.h"
#include "sidecar/gate/deadline.h"
#include "sidecar/gate/signals.h"

namespace tenure {

class Stage {
 public:
  // `drill` names the lease and the resource.
  Stage(const DrillOptions& options, const std::string& drill,
        SignalSource* signals);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // "one", "two", ...: of the contenders, as they are added.
  static const char* NameOf(std::size_t number);

  // The store, emptied, and the API server.
  Result<void> Open();
  // One more. `relayed`: it reaches the API server through a relay.
  Result<Contender*> Add(
      bool relayed, const std::vector<std::string>& run_flags,
      const std::vector<std::pair<std::string, std::string>>& environment);
  // Ends the work and releases, so that nothing is left held.
  void Close();

  // Lets things happen until `reached`. Errors: kDeadlineExceeded,
  // kUnavailable once nothing more will come of it; interrupted() tells if a
  // person wanted the end.
  Result<void> Until(const std::string& what, Duration limit,
                     const std::function<bool()>& reached);
  Result<void> Wait(Duration time);
  int interrupted() const { return interrupted_; }  // the signal; 0: none

  void Say(DrillEventKind kind, const std::string& who,
           const std::string& text);
  void Freeze(Contender* contender);
  void ResumeGuards(Contender* contender);
  // Its writer stops itself between its check and its write. The id of that
  // write.
  Result<std::string> HoldWriter(Contender* contender);
  // A question of the drill's own. `resource` is filled in.
  StoreAnswer AskStore(StoreRequest request);
  // `event.at` is filled in.
  void RecordNow(DrillEvent event);

  pid_t WriterOf(const std::string& who) const;  // 0: none is connected
  const std::vector<DrillEvent>& events() const { return events_; }
  std::vector<std::unique_ptr<Contender>>& contenders() { return contenders_; }
  DrillServer& server() { return server_; }
  const DrillOptions& options() const { return options_; }
  const std::string& lease() const { return lease_; }
  const std::string& folder() const { return folder_; }
  Duration Now() const;  // since the drill began

 private:
  struct Correspondent {
    LineStream line;
    DrillEvent started;
  };

  Result<void> OpenStore();
  void Pump(Duration most);
  void Listen();
  void TakeNews(Correspondent* from);
  void TakeSignals();
  void Record(DrillEvent event);
  Duration SinceStart(Duration boot) const;

  const DrillOptions& options_;
  const std::string lease_;
  SignalSource* const signals_;
  const Instant start_;
  std::string folder_;
  DrillServer server_;
  StoreTarget target_;
  std::unique_ptr<StoreClient> store_;  // the drill's own connection
  Descriptor listener_;
  BootTimer timer_;
  Deadline look_at_;  // when the sidecars are asked again
  std::vector<Correspondent> correspondents_;
  std::vector<std::unique_ptr<Contender>> contenders_;
  std::vector<DrillEvent> events_;
  std::string trouble_;
  int interrupted_ = 0;
};

}  // namespace tenure

#endif  // TENURE_DRILL_STAGE_H_
