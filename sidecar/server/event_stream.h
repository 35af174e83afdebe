// EventStream: one reader of GET /v1/watch: the status document at once, then
// at each transition and acknowledged renewal, also at those that time alone
// makes while the loop is stuck.
//
// Private to this folder: includes Asio.
// Thread safety: the server's thread only.
// Invariants: an event is composed when the socket takes it, never before, and
// at most one waits: a slow reader misses events, sees the newest, and is
// closed if it takes nothing for too long.
#ifndef TENURE_SERVER_EVENT_STREAM_H_
#define TENURE_SERVER_EVENT_STREAM_H_

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "sidecar/server/desk.h"
#include "sidecar/server/session.h"

namespace tenure {

class EventStream;

// The event streams of all listeners.
class EventStreams {
 public:
  // Called with whether there is any, when that changes. May be empty.
  explicit EventStreams(std::function<void(bool any)> on_change);

  bool Full() const;
  void Add(EventStream* stream);
  void Remove(EventStream* stream);
  void OnPublish(std::size_t lease);

 private:
  const std::function<void(bool)> on_change_;
  std::unordered_set<EventStream*> streams_;
};

class EventStream : public Session {
 public:
  // Takes the socket over from a connection that was asked to watch `lease`.
  EventStream(Desk* desk, EventStreams* streams, SessionSet* sessions,
              Socket socket, std::size_t lease);
  ~EventStream() override;

  void Start() override;
  void Close() override;
  bool Overdue(std::uint64_t tick) const override;
  void OnOverdue() override;

  std::size_t lease() const { return lease_; }
  // Something may have changed: send an event as soon as one can be sent if so.
  void Wake();

 private:
  std::shared_ptr<EventStream> Self();
  void Pump();
  bool SendRest();
  void ArmTimer();
  void OnTimer();
  void WatchForEnd();
  void OnReadable();

  Desk* const desk_;
  EventStreams* const streams_;
  SessionSet* const sessions_;
  Socket socket_;
  boost::asio::steady_timer timer_;
  const std::size_t lease_;
  std::string unsent_;
  bool comment_due_ = false;
  bool waiting_ = false;  // for the socket to take more
  bool closed_ = false;
  std::uint64_t write_deadline_ = 0;  // tick; while waiting_
  std::optional<EventNews> told_;     // by the last event
};

}  // namespace tenure

#endif  // TENURE_SERVER_EVENT_STREAM_H_
