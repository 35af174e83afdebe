// WatchDecoder: the bytes of a Kubernetes watch, in pieces of any size, to
// WatchEvents.
//
// The stream is one JSON object a line: {"type": ..., "object": ...}. The line
// is split without parsing it, so that the Lease in it is parsed once and kept
// as the server wrote it (S11).
//
// Thread safety: one thread at a time.
// Invariants: Holds at most one line, and no more of it than the limit. After
// kExpired or kClosed it is dead and ignores what follows.
#ifndef TENURE_KUBE_WATCH_DECODER_H_
#define TENURE_KUBE_WATCH_DECODER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/authority/input.h"

namespace tenure {

inline constexpr std::size_t kMaxWatchLine = std::size_t{1} << 20;

class WatchDecoder {
 public:
  explicit WatchDecoder(std::size_t max_line = kMaxWatchLine)
      : max_line_(max_line) {}

  // The events that `bytes` complete, in order. kChanged, kDeleted, kBookmark,
  // kExpired (an ERROR of code 410), or kClosed: the stream makes no sense or
  // the server reported an error, as `message` says; open a new one.
  std::vector<WatchEvent> Feed(std::string_view bytes);

  bool dead() const { return dead_; }

 private:
  void Line(std::string_view line, std::vector<WatchEvent>* events);
  void Die(WatchEvent::Kind kind, std::string message,
           std::vector<WatchEvent>* events);

  std::size_t max_line_;
  std::string partial_;  // a line whose end has not come yet
  bool dead_ = false;
};

}  // namespace tenure

#endif  // TENURE_KUBE_WATCH_DECODER_H_
