// WatchSession: one Start of the watch until its Stop. It opens connections one
// after the other, keeps the place in the stream, backs off, and brings events
// to the loop thread.
//
// Thread safety: Begin and Stop on the loop thread, where the sink is called;
// the rest happens on the pool, under one lock.
// Invariants: At most one live connection; what an older one still says is
// dropped. After Stop neither `access`, `post` nor the sink is called. At most
// kMaxUndelivered events wait for the loop; then the oldest record goes,
// because a newer one says all that it did. Only among that many others, which
// all tell of the connection, does the oldest of those go.
#ifndef TENURE_KUBE_WATCH_SESSION_H_
#define TENURE_KUBE_WATCH_SESSION_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "sidecar/base/prng.h"
#include "sidecar/coordinator/lease_watch.h"
#include "sidecar/kube/watch_connection.h"
#include "sidecar/kube/watch_decoder.h"
#include "sidecar/kube/watch_pool.h"
#include "sidecar/kube/watch_stream.h"

namespace tenure {

inline constexpr std::size_t kMaxUndelivered = 64;

struct WatchSetup {
  std::function<bool(std::function<void()>)> post;
  AccessSource* access = nullptr;
  std::string name_space;
  std::string lease;
  std::string user_agent;
  WatchTiming timing;
};

class WatchSession : public std::enable_shared_from_this<WatchSession> {
 public:
  WatchSession(const WatchSetup& setup, std::uint64_t jitter_seed,
               std::string resource_version, LeaseWatch::Sink sink);

  void Begin();
  void Stop();

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Step = void (WatchSession::*)(Lock&);
  class Attempt;

  // What the connection of attempt `id` says.
  void Opened(std::uint64_t id);
  void Received(std::uint64_t id, std::string_view bytes);
  void Ended(std::uint64_t id, const WatchEnd& end);

  // Steps, run by the timer.
  void Open(Lock& lock);
  void GiveUpOpening(Lock& lock);
  void Settle(Lock& lock);
  void CheckSilence(Lock& lock);

  void Run(Duration delay, Step step);
  std::shared_ptr<WatchConnection> Drop();
  std::string PickAddress(const ApiAccess& access);
  WatchTarget Target(std::shared_ptr<const ApiAccess> access,
                     std::string address);
  void Refused(const WatchEnd& end);
  void Retry(bool answered, Duration at_least, const std::string& message);
  Duration NextDelay(bool answered);

  void Report(WatchEvent event);
  void ReportState(WatchEvent::Kind kind, std::string message);
  void Post();
  void Deliver();

  const WatchSetup setup_;
  const LeaseWatch::Sink sink_;

  std::mutex mutex_;
  bool stopped_ = false;  // written on the loop thread only
  Prng jitter_;
  std::string resource_version_;  // where to go on from
  std::uint64_t attempt_ = 0;
  std::shared_ptr<WatchConnection> connection_;
  WatchDecoder decoder_;
  bool stable_ = false;   // this connection has been open for a while
  bool heard_ = false;    // bytes came since the last look
  std::size_t turn_ = 0;  // which address is next
  unsigned failures_ = 0;
  int forbidden_ = 0;
  bool unanswered_ = false;  // the last attempt met no server
  bool hurried_ = false;
  WatchEvent::Kind reported_ = WatchEvent::Kind::kBookmark;  // none yet
  std::string reason_;  // of the last kClosed

  PoolTimer timer_;
  std::uint64_t timer_id_ = 0;
  PoolTimer post_timer_;
  std::deque<WatchEvent> undelivered_;
  bool posted_ = false;
};

}  // namespace tenure

#endif  // TENURE_KUBE_WATCH_SESSION_H_
