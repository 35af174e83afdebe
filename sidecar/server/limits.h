// ServerLimits: how much of anything one reader can make the server hold.
//
// Thread safety: values.
#ifndef TENURE_SERVER_LIMITS_H_
#define TENURE_SERVER_LIMITS_H_

#include <cstddef>

#include "sidecar/base/instant.h"

namespace tenure {

// A request's line and header together; also the largest read buffer.
inline constexpr std::size_t kMaxHeaderBytes = 8 * 1024;
inline constexpr std::size_t kMaxBodyBytes = 4 * 1024;
// A connection's buffer until a bigger request arrives, and again after it.
inline constexpr std::size_t kSmallBufferBytes = 1024;
// Bytes thrown away after a refusal so that the refusal is read, not reset.
inline constexpr std::size_t kMaxLingerBytes = 64 * 1024;
// What the kernel may hold for one event stream: its reader sees the newest
// state, not a backlog.
inline constexpr int kEventSendBufferBytes = 16 * 1024;
inline constexpr int kMaxEventStreams = 32;
// The longest path that fits in sockaddr_un, without its terminator.
inline constexpr std::size_t kMaxSocketPathBytes = 107;
// Probes: the loop beats at least every 4 s (S12).
inline constexpr Duration kLivenessLimit = std::chrono::seconds(10);

// Waits. Only tests change them.
struct ServerWaits {
  Duration read = std::chrono::seconds(10);     // from a request's first byte
  Duration write = std::chrono::seconds(10);    // for a reader to take a reply
  Duration idle = std::chrono::seconds(60);     // between requests
  Duration linger = std::chrono::seconds(2);    // after a refusal
  Duration control = std::chrono::seconds(5);   // for the loop to answer
  Duration comment = std::chrono::seconds(15);  // silence on an event stream
  Duration accept_retry = std::chrono::milliseconds(100);  // no descriptor left
  Duration sweep = std::chrono::seconds(1);  // how often waits are looked at
};

}  // namespace tenure

#endif  // TENURE_SERVER_LIMITS_H_
