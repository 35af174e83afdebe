// WatchRig: a watch under test, with a loop that the test itself turns and the
// events it brought.
#ifndef TENURE_TESTS_UNIT_KUBE_WATCH_RIG_H_
#define TENURE_TESTS_UNIT_KUBE_WATCH_RIG_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sidecar/kube/watch_stream.h"

namespace tenure {

// Counts what the watch asks of it.
class CountingAccess : public AccessSource {
 public:
  explicit CountingAccess(ApiAccess access)
      : access_(std::make_shared<const ApiAccess>(std::move(access))) {}

  std::shared_ptr<const ApiAccess> Current() const override;
  void Refresh() override;
  void Set(ApiAccess access);
  int refreshes() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ApiAccess> access_;
  int refreshes_ = 0;
};

// Short enough for a test, long enough that a busy machine does not decide it.
WatchTiming QuickTiming();

// Plain HTTP at `port` of 127.0.0.1.
ApiAccess PlainAccess(std::uint16_t port);

class WatchRig {
 public:
  explicit WatchRig(ApiAccess access,
                    const WatchTiming& timing = QuickTiming());
  ~WatchRig() { watch_.reset(); }

  void Start(const std::string& resource_version = "");
  void Stop() { watch_->Stop(); }
  void Destroy() { watch_.reset(); }

  // Turns the loop until `done`; false if it does not come true within a bound
  // no healthy machine reaches.
  bool Until(const std::function<bool()>& done);
  bool UntilEvents(std::size_t count);
  bool UntilKind(WatchEvent::Kind kind);
  void TurnFor(std::chrono::milliseconds time);
  // While false the loop takes no tasks.
  void Accept(bool accept);

  CountingAccess& access() { return access_; }
  const std::vector<WatchEvent>& events() const { return events_; }
  std::vector<WatchEvent::Kind> kinds() const;
  std::vector<std::string> revisions() const;  // of the kChanged
  int count(WatchEvent::Kind kind) const;
  // Runs in the sink, after the event is recorded.
  std::function<void(const WatchEvent&)> on_event;

 private:
  bool Post(std::function<void()> task);
  void Turn(std::chrono::steady_clock::time_point limit);

  CountingAccess access_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool accepting_ = true;
  std::vector<WatchEvent> events_;
  std::unique_ptr<LeaseWatch> watch_;
};

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_KUBE_WATCH_RIG_H_
