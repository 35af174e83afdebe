#include "sidecar/coordinator/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

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
  LoopTest() : board_({"a"}), loop_(&board_) { Use("default"); }
  ~LoopTest() override {
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
  }

  void Use(const std::string& preset) {
    DriverLease lease;
    lease.name = "a";
    lease.options.identity = "me";
    lease.options.times = *TimesForPreset(preset);
    lease.store = &store_;
    driver_ = std::make_unique<Driver>(
        std::vector<DriverLease>{lease}, LeaseSetPolicy::kAll, 0, &board_,
        &recorder_,
        Driver::Environment{[this] {
                              ++clock_looks_;
                              return ReadClocks();
                            },
                            [this] { return Entropy{1, ++entropy_}; },
                            loop_.Waker()});
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

  // Until what the last task led to has run. Asio queues what a task posts when
  // the task has ended, so one more may come before it.
  void Settle() {
    OnLoop([] {});
    OnLoop([] {});
  }

  SnapshotBoard board_;
  Loop loop_;
  FakeStore store_;
  FakeRecorder recorder_;
  std::atomic<int> clock_looks_{0};
  std::uint64_t entropy_ = 0;
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

// S12: also where nothing is due for long.
TEST_F(LoopTest, BeatsTheBoardThoughNothingIsDue) {
  Use("patient");  // looks again after 26 s
  auto exit = Start();
  OnLoop([this] {
    store_.Answer(LeaseReply{false, DriverBench::HeldBy("other")});
  });
  Settle();
  const Instant first = board_.LastBeat();
  const auto limit = std::chrono::steady_clock::now() + seconds(30);
  while (board_.LastBeat() == first &&
         std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_NE(board_.LastBeat(), first);
  EXPECT_LT(LongestElapsed(first, board_.LastBeat()), seconds(15));
}

// Not when the timer happens to end.
TEST_F(LoopTest, AnAnswerIsActedOnAtOnce) {
  auto exit = Start();
  OnLoop([this] { store_.Answer(LeaseReply{false, DriverBench::Free()}); });
  Settle();
  std::optional<RequestKind> next;
  OnLoop([&] {
    if (store_.in_flight) next = store_.in_flight->kind;
  });
  EXPECT_EQ(next, RequestKind::kAcquire);
}

// With a claim of 3 s, less than between two beats: the timer that was set when
// the read left would come too late. A busy machine may lose the claim; then it
// is acquired again.
TEST_F(LoopTest, WakesForTheDriversDeadline) {
  Use("fast");
  std::promise<void> renewed;
  bool told = false;
  store_.on_start = [&](const Request& request) {
    if (request.kind == RequestKind::kRead) {
      loop_.Post(
          [&] { store_.Answer(LeaseReply{false, DriverBench::Free()}); });
      return;
    }
    if (request.kind == RequestKind::kRenew && !std::exchange(told, true)) {
      renewed.set_value();
    }
    store_.Answer(LeaseReply{false, DriverBench::Applied(request.write)});
  };
  auto exit = Start();
  EXPECT_EQ(renewed.get_future().wait_for(seconds(30)),
            std::future_status::ready);
  loop_.Stop();
  thread_.join();
}

TEST_F(LoopTest, SleepsWhileNothingIsDue) {
  auto exit = Start();
  OnLoop([this] {
    store_.Answer(LeaseReply{false, DriverBench::HeldBy("other")});
  });
  Settle();
  const int before = clock_looks_;
  // In a loop that pumps without a reason each of these finds it pumped again.
  for (int i = 0; i < 1000; ++i) OnLoop([] {});
  EXPECT_LT(clock_looks_ - before, 500);
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

// Of what was refused nothing is counted, and what has run leaves its place.
TEST_F(LoopTest, ItsQueueHasRoomAgain) {
  for (int i = 0; i < 5000; ++i) loop_.Post([] {});
  auto exit = Start(false);
  const auto limit = std::chrono::steady_clock::now() + seconds(30);
  for (int taken = 0; taken < 5000;) {
    if (loop_.Post([] {})) {
      ++taken;
    } else {
      std::this_thread::yield();
    }
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
  }
}

TEST_F(LoopTest, SigtermGetsThroughAFullQueue) {
  while (loop_.Post([] {})) {
  }
  loop_.Drain(seconds(30));
  auto exit = Start(false);
  ASSERT_EQ(exit.wait_for(seconds(30)), std::future_status::ready);
  EXPECT_EQ(exit.get(), Loop::Exit::kDrained) << "before it had sent anything";
}

TEST_F(LoopTest, RunsNothingAfterItsEnd) {
  auto exit = Start();
  bool ran = false;
  OnLoop([&] {
    loop_.Stop();
    loop_.Post([&] { ran = true; });
  });
  ASSERT_EQ(exit.wait_for(seconds(30)), std::future_status::ready);
  thread_.join();
  EXPECT_FALSE(ran);
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
