// DrillServer: the API server of a drill as a process (`tenure dev`), its fault
// knobs, and the relays through which contenders reach it.
//
// Thread safety: the main thread of a process that has no other: it forks.
#ifndef TENURE_DRILL_SERVER_H_
#define TENURE_DRILL_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/drill/child.h"
#include "sidecar/drill/options.h"

namespace tenure {

class DrillServer {
 public:
  DrillServer(const DrillOptions& options, std::string folder)
      : options_(options), folder_(std::move(folder)) {}

  Result<void> Start();

  // A kubeconfig for this contender: through a relay of its own, if asked for.
  Result<std::string> KubeconfigFor(const std::string& who, bool relayed);

  // Of the relays; `signal` SIGKILL leaves the port free, and StartRelay takes
  // it again.
  void SignalRelay(const std::string& who, int signal);
  Result<void> StartRelay(const std::string& who);

  // docs/embedded.md has the fields.
  Result<void> AddFault(const std::string& json);
  Result<void> ClearFaults();
  // How many requests were struck by the faults that stand.
  Result<std::int64_t> Strikes();
  Result<void> DeleteLease(const std::string& name);

 private:
  struct Relay {
    pid_t pid = 0;
    std::uint16_t port = 0;  // 0: none yet
  };

  ChildOrder Order(const std::string& name) const;
  Result<ApiAnswer> Call(const std::string& method, const std::string& target,
                         const std::string& body = "");

  const DrillOptions& options_;
  const std::string folder_;
  std::uint16_t port_ = 0;
  std::map<std::string, Relay> relays_;
};

}  // namespace tenure

#endif  // TENURE_DRILL_SERVER_H_
