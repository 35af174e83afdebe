// LocalLink, EventFeed: connections to a sidecar's socket that never make their
// owner wait: it polls their descriptors.
//
// Thread safety: one thread at a time.
// Invariants: one question at a time on a link; an answer is at most 64 KiB.
#ifndef TENURE_GATE_LOCAL_LINK_H_
#define TENURE_GATE_LOCAL_LINK_H_

#include <optional>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/gate/descriptor.h"

namespace tenure {

struct LinkAnswer {
  int status = 0;
  std::string body;
};

// Questions and answers, over one connection that is kept.
class LocalLink {
 public:
  explicit LocalLink(std::string path) : path_(std::move(path)) {}

  int fd() const { return socket_.get(); }  // -1: not connected
  bool waiting() const { return waiting_; }

  // "GET", "/v1/status". Connects first if need be. REQUIRES: not waiting.
  // Errors: kNotSent; nothing was asked then.
  Result<void> Ask(const std::string& method, const std::string& target);

  // Once readable. Empty: more is to come. Errors: kUnavailable; closed then.
  std::optional<Result<LinkAnswer>> Receive();

  void Close();

 private:
  const std::string path_;
  Descriptor socket_;
  std::string buffer_;
  bool waiting_ = false;
};

// GET /v1/watch. What it says is only a cue to ask (S1), so nothing of it is
// read but that there is something.
class EventFeed {
 public:
  explicit EventFeed(std::string path) : path_(std::move(path)) {}

  int fd() const { return socket_.get(); }  // -1: closed

  void Open(const std::string& target);
  void Close() { socket_.Close(); }
  // Once readable: something happened. Closed if the sidecar closed it.
  void Receive();

 private:
  const std::string path_;
  Descriptor socket_;
};

}  // namespace tenure

#endif  // TENURE_GATE_LOCAL_LINK_H_
