#include "sidecar/coordinator/loop.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <utility>

#include "sidecar/base/check.h"
#include "sidecar/clock/system_clock.h"

namespace tenure {
namespace {

constexpr int kMaxPosted = 1024;
// S12: well within what liveness allows. In a term the core asks to be woken
// oftener; a standby with a quiet watch costs only this.
constexpr Duration kBeat = std::chrono::seconds(4);

}  // namespace

class Loop::State {
 public:
  explicit State(SnapshotBoard* board)
      : board_(board), timer_(context_), drain_timer_(context_) {}

  void Pump() {
    pump_posted_ = false;
    board_->Beat(ReadClocks().instant);
    const Duration due = std::min(driver_->Pump(), kBeat);
    if (driver_->Finished()) {
      End(Exit::kDrained);
      return;
    }
    timer_.expires_after(due);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) Pump();
    });
  }

  // Coalesced: one posted pump serves every wake before it.
  void Wake() {
    if (std::exchange(pump_posted_, true)) return;
    boost::asio::post(context_, [this] { Pump(); });
  }

  void End(Exit reason) {
    exit_ = reason;
    context_.stop();  // nothing runs after this
  }

  SnapshotBoard* const board_;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer drain_timer_;
  Driver* driver_ = nullptr;  // not null where anything runs: only Run runs it
  std::optional<Exit> exit_;
  bool pump_posted_ = false;
  std::atomic<int> posted_{0};
};

Loop::Loop(SnapshotBoard* board) : state_(std::make_unique<State>(board)) {}
Loop::~Loop() = default;

boost::asio::io_context& Loop::context() { return state_->context_; }

std::function<void()> Loop::Waker() {
  return [state = state_.get()] { state->Wake(); };
}

Loop::Exit Loop::Run(Driver* driver) {
  CHECK(driver != nullptr && state_->driver_ == nullptr);
  state_->driver_ = driver;
  state_->Wake();
  // The pump's timer is always pending, so run() ends by stop() alone.
  state_->context_.run();
  CHECK(state_->exit_);
  return *state_->exit_;
}

void Loop::Drain(Duration limit) {
  // Not through Post: SIGTERM must get through a full queue.
  boost::asio::post(state_->context_, [this, limit] {
    state_->drain_timer_.expires_after(limit);
    state_->drain_timer_.async_wait(
        [this](const boost::system::error_code& error) {
          if (!error) state_->End(Exit::kDrainTimeout);
        });
    state_->driver_->StartDraining();
  });
}

void Loop::Stop() {
  // Not through Post, as above.
  boost::asio::post(state_->context_, [this] { state_->End(Exit::kStopped); });
}

bool Loop::Post(std::function<void()> task) {
  if (state_->posted_.fetch_add(1) >= kMaxPosted) {
    state_->posted_.fetch_sub(1);
    return false;
  }
  boost::asio::post(state_->context_, [this, task = std::move(task)] {
    state_->posted_.fetch_sub(1);
    task();
  });
  return true;
}

void Loop::Submit(const ControlRequest& request, Done done) {
  const bool posted =
      Post([this, request, done] { state_->driver_->Control(request, done); });
  if (!posted) {
    done({Error{ErrorCode::kUnavailable,
                "expected the coordinator to take the request, found its "
                "queue full; try again"},
          0});
  }
}

}  // namespace tenure
