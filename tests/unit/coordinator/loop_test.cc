#include "sidecar/coordinator/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "sidecar/clock/system_clock.h"
#include "tests/unit/coordinator/driver_bench.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A loop on a thread of its own, with a driver whose server answers nothing
// unless the test does.
class LoopTest : public testing::Test {
 protected:
  LoopTest() : board_({"a"}), loop_(&board_) {
    DriverLease lease;
    lease.name = "a";
    lease.options.identity = "me";
    lease.options.times = *TimesForPreset("default");
    lease.store = &store_;
    driver_ = std::make_unique<Driver>(
        std::vector<DriverLease>{lease}, LeaseSetPolicy::kAll, 0, &board_,
        &recorder_,
        Driver::Environment{ReadClocks, [] { return Entropy{1, 2}; },
                            loop_.Waker()});
  }
  ~LoopTest() override {
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
  }

  std::future<Loop::Exit> Start(bool posting = true) {
    std::promise<Loop::Exit> exit;
    std::future<Loop::Exit> future = exit.get_future();
    thread_ = std::thread([this, exit = std::move(exit)]() mutable {
      exit.set_value(loop_.Run(driver_.get()));
    });
    if (!posting) return future;
    OnLoop([] {});  // it runs; what is posted from here on finds the driver
    return future;
  }
  // Runs `task` on the loop thread and waits for it.
  void OnLoop(const std::function<void()>& task) {
    std::promise<void> ran;
    ASSERT_TRUE(loop_.Post([&] {
      task();
      ran.set_value();
    }));
    ASSERT_EQ(ran.get_future().wait_for(seconds(30)),
              std::future_status::ready);
  }

  SnapshotBoard board_;
  Loop loop_;
  FakeStore store_;
  FakeRecorder recorder_;
  std::unique_ptr<Driver> driver_;
  std::thread thread_;
};

TEST_F(LoopTest, RunsPostedTasksOnItsThread) {
  auto exit = Start();
  std::thread::id where;
  OnLoop([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, thread_.get_id());
}

TEST_F(LoopTest, BeatsTheBoard) {
  auto exit = Start();
  OnLoop([] {});
  OnLoop([] {});
  EXPECT_NE(board_.LastBeat(), Instant{});
}

TEST_F(LoopTest, BringsControlRequestsOverAndTheRepliesBack) {
  auto exit = Start();
  std::promise<ControlReply> replied;
  loop_.Submit({ControlRequest::Kind::kWork, 0, 5},
               [&](ControlReply reply) { replied.set_value(reply); });
  std::future<ControlReply> reply = replied.get_future();
  ASSERT_EQ(reply.wait_for(seconds(30)), std::future_status::ready);
  ASSERT_TRUE(reply.get().error);
}

TEST_F(LoopTest, RepliesAlsoToWhatCameBeforeItRan) {
  std::promise<ControlReply> replied;
  std::future<ControlReply> reply = replied.get_future();
  // Posted while no driver runs: answered as soon as the thread does anything.
  loop_.Submit({ControlRequest::Kind::kWork, 0, 5},
               [&](ControlReply one) { replied.set_value(std::move(one)); });
  auto exit = Start(false);
  ASSERT_EQ(reply.wait_for(seconds(30)), std::future_status::ready);
  EXPECT_TRUE(reply.get().error);
}

TEST_F(LoopTest, ItsQueueIsBounded) {
  // Nothing runs yet, so what is posted waits.
  int taken = 0;
  while (loop_.Post([] {})) ASSERT_LT(++taken, 100'000);
  EXPECT_GE(taken, 64);
  std::optional<ErrorCode> code;
  loop_.Submit({ControlRequest::Kind::kWork, 0, 5},
               [&](const ControlReply& reply) { code = reply.error->code; });
  EXPECT_EQ(code, ErrorCode::kUnavailable);
  // SIGTERM gets through all the same.
  auto exit = Start(false);
  loop_.Stop();
  ASSERT_EQ(exit.wait_for(seconds(30)), std::future_status::ready);
  EXPECT_EQ(exit.get(), Loop::Exit::kStopped);
}

TEST_F(LoopTest, AStandbyDrainsAtOnce) {
  auto exit = Start();
  OnLoop([this] {
    store_.Answer(LeaseReply{false, DriverBench::HeldBy("other")});
  });
  loop_.Drain(seconds(30));
  ASSERT_EQ(exit.wait_for(seconds(30)), std::future_status::ready);
  EXPECT_EQ(exit.get(), Loop::Exit::kDrained);
}

TEST_F(LoopTest, GivesUpDrainingAtItsLimit) {
  auto exit = Start();
  OnLoop([] {});
  loop_.Drain(milliseconds(1));  // the first read is never answered
  ASSERT_EQ(exit.wait_for(seconds(30)), std::future_status::ready);
  EXPECT_EQ(exit.get(), Loop::Exit::kDrainTimeout);
}

}  // namespace
}  // namespace tenure
