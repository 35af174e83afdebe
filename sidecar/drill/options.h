// DrillOptions: what a person asked of `tenure drill`.
//
// Thread safety: values.
#ifndef TENURE_DRILL_OPTIONS_H_
#define TENURE_DRILL_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/drill/store_client.h"
#include "sidecar/gate/signals.h"

namespace tenure {

struct ApiAnswer {
  int status = 0;
  std::string body;
};

// One request to the embedded API server on this port of 127.0.0.1.
using ApiCall = std::function<Result<ApiAnswer>(
    std::uint16_t port, const std::string& method, const std::string& target,
    const std::string& body)>;

inline constexpr std::size_t kMostContenders = 8;

struct DrillOptions {
  std::vector<std::string> drills;  // names, in order; not empty
  std::size_t contenders = 2;       // 2 to kMostContenders
  std::string preset = "fast";
  bool fenced = true;
  std::optional<StoreTarget> store;  // none: SQLite in a process of its own
  bool embedded = true;              // an API server of the drill's own
  std::vector<std::string> server_flags;  // of `tenure run`, if not
  std::string lease = "tenure-drill";
  std::string scratch = "/tmp";  // where the temporary folder is made
  std::string faketime;          // path of libfaketime; "": not there
  SignalState signals;           // as they stood before TakeSignals
  ApiCall api;
  // Each step, as it happens.
  std::function<void(const std::string& line)> narrate;
};

}  // namespace tenure

#endif  // TENURE_DRILL_OPTIONS_H_
