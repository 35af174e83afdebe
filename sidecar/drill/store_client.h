// StoreClient: one connection to the protected store: to the default one over
// its socket, to another through a program that speaks the store protocol.
//
// Thread safety: one thread at a time; waits for answers.
// Invariants: an answer is never taken for that of another request: after
// silence the connection is closed, and a program is started anew.
#ifndef TENURE_DRILL_STORE_CLIENT_H_
#define TENURE_DRILL_STORE_CLIENT_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/drill/line_stream.h"
#include "sidecar/drill/store_message.h"

namespace tenure {

struct StoreTarget {
  std::string socket;   // of the default store; "": a program
  std::string program;  // path of tenure-store-<scheme>
  std::string url;      // its argument
};

// Looks for tenure-store-<scheme> in `folders`, then in `path` (PATH). Errors:
// kInvalidArgument.
Result<StoreTarget> FindStore(const std::string& url,
                              const std::vector<std::string>& folders,
                              const std::string& path);

class StoreClient {
 public:
  // REQUIRES: SIGPIPE is ignored, for a program may end before it is asked.
  explicit StoreClient(StoreTarget target) : target_(std::move(target)) {}
  ~StoreClient() { Close(); }
  StoreClient(const StoreClient&) = delete;
  StoreClient& operator=(const StoreClient&) = delete;

  // Connects first if need be. An answer that does not come, or that is none,
  // is unknown.
  StoreAnswer Ask(const StoreRequest& request, Duration limit);

 private:
  Result<void> Open();
  Result<void> StartProgram();
  void Close();

  const StoreTarget target_;
  LineStream stream_;
  pid_t pid_ = 0;  // of the program
};

}  // namespace tenure

#endif  // TENURE_DRILL_STORE_CLIENT_H_
