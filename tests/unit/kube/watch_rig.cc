#include "tests/unit/kube/watch_rig.h"

#include <algorithm>
#include <utility>

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kBound{30};

}  // namespace

std::shared_ptr<const ApiAccess> CountingAccess::Current() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return access_;
}

void CountingAccess::Refresh() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++refreshes_;
}

void CountingAccess::Set(ApiAccess access) {
  const std::lock_guard<std::mutex> lock(mutex_);
  access_ = std::make_shared<const ApiAccess>(std::move(access));
}

int CountingAccess::refreshes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return refreshes_;
}

WatchTiming QuickTiming() {
  WatchTiming timing;
  timing.opening = std::chrono::seconds(20);
  timing.stable = std::chrono::seconds(20);
  timing.silence = std::chrono::seconds(20);
  timing.first_delay = milliseconds(5);
  timing.longest_delay = milliseconds(40);
  timing.longest_unanswered_delay = milliseconds(20);
  return timing;
}

ApiAccess PlainAccess(std::uint16_t port) {
  ApiAccess access;
  access.tls = false;
  access.host = "127.0.0.1";
  access.verify_name = "127.0.0.1";
  access.port = port;
  access.addresses = {"127.0.0.1"};
  return access;
}

WatchRig::WatchRig(ApiAccess access, const WatchTiming& timing)
    : access_(std::move(access)) {
  watch_ = NewWatchStream(
      [this](std::function<void()> task) { return Post(std::move(task)); },
      &access_, "batch", "job", "tenure/test", 42, timing);
}

void WatchRig::Start(const std::string& resource_version) {
  watch_->Start(resource_version, [this](WatchEvent event) {
    events_.push_back(std::move(event));
    if (on_event) on_event(events_.back());
  });
}

bool WatchRig::Post(std::function<void()> task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!accepting_) return false;
  tasks_.push_back(std::move(task));
  wake_.notify_one();
  return true;
}

void WatchRig::Accept(bool accept) {
  const std::lock_guard<std::mutex> lock(mutex_);
  accepting_ = accept;
}

void WatchRig::Turn(steady_clock::time_point limit) {
  std::deque<std::function<void()>> tasks;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait_until(lock, limit, [this] { return !tasks_.empty(); });
    tasks.swap(tasks_);
  }
  for (const std::function<void()>& task : tasks) task();
}

bool WatchRig::Until(const std::function<bool()>& done) {
  const steady_clock::time_point bound = steady_clock::now() + kBound;
  while (!done()) {
    if (steady_clock::now() > bound) return false;
    Turn(steady_clock::now() + milliseconds(5));
  }
  return true;
}

bool WatchRig::UntilEvents(std::size_t count) {
  return Until([&] { return events_.size() >= count; });
}

bool WatchRig::UntilKind(WatchEvent::Kind kind) {
  return Until([&] { return count(kind) > 0; });
}

void WatchRig::TurnFor(milliseconds time) {
  const steady_clock::time_point end = steady_clock::now() + time;
  while (steady_clock::now() < end) Turn(end);
}

std::vector<WatchEvent::Kind> WatchRig::kinds() const {
  std::vector<WatchEvent::Kind> kinds;
  for (const WatchEvent& event : events_) kinds.push_back(event.kind);
  return kinds;
}

std::vector<std::string> WatchRig::revisions() const {
  std::vector<std::string> revisions;
  for (const WatchEvent& event : events_) {
    if (event.kind == WatchEvent::Kind::kChanged) {
      revisions.push_back(event.record.resource_version);
    }
  }
  return revisions;
}

int WatchRig::count(WatchEvent::Kind kind) const {
  return static_cast<int>(std::ranges::count(events_, kind, &WatchEvent::kind));
}

}  // namespace tenure
