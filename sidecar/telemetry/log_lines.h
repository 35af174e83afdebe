// LogLines: one message and its keys as one line of JSON or of text.
//
// Thread safety: any thread.
// Invariants: a line has one newline, at its end, whatever the values hold;
// values are cut at kMaxLogValue bytes.
#ifndef TENURE_TELEMETRY_LOG_LINES_H_
#define TENURE_TELEMETRY_LOG_LINES_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/telemetry/telemetry.h"

namespace tenure {

inline constexpr std::size_t kMaxLogValue = 2048;

using LogFields = std::vector<Telemetry::Field>;

class LogLines {
 public:
  using Write = std::function<void(std::string_view line)>;

  LogLines(LogFormat format, LogLevel level, bool color, Write write);
  ~LogLines();

  bool Enabled(LogLevel level) const;

  // Fields whose key ends in "Ms" are numbers in JSON; all others are strings.
  // Empty values are left out.
  void Log(LogLevel level, WallTime when, const char* message,
           const LogFields& fields);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure

#endif  // TENURE_TELEMETRY_LOG_LINES_H_
