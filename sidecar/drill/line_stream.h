// LineStream: lines to and from another process, over a socket or two pipes.
//
// Thread safety: one thread at a time.
// Invariants: a line has at most kMaxLine bytes; no wait is longer than its
// limit, counted on the boot clock.
#ifndef TENURE_DRILL_LINE_STREAM_H_
#define TENURE_DRILL_LINE_STREAM_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/gate/descriptor.h"

namespace tenure {

class LineStream {
 public:
  static constexpr std::size_t kMaxLine = 64 * 1024;

  LineStream() = default;
  // For both ways.
  explicit LineStream(Descriptor socket);
  LineStream(Descriptor in, Descriptor out);

  // Errors: kUnavailable.
  static Result<LineStream> Connect(const std::string& path);

  int fd() const { return in_.get(); }  // -1: closed
  void Close();

  // Errors: kUnavailable, kDeadlineExceeded; closed then.
  Result<void> Write(std::string_view line, Duration limit);
  Result<std::string> Read(Duration limit);

  // What is there now; empty: no whole line. Closes at the end of the stream.
  std::optional<std::string> Take();

 private:
  int out() const { return out_.get() >= 0 ? out_.get() : in_.get(); }
  bool Fill();
  std::optional<std::string> Cut();

  Descriptor in_;
  Descriptor out_;  // -1: in_ is a socket
  std::string buffer_;
};

// A listening Unix socket, for this user alone. Errors: kUnavailable.
Result<Descriptor> ListenAt(const std::string& path);

}  // namespace tenure

#endif  // TENURE_DRILL_LINE_STREAM_H_
