#include "sidecar/gate/watchdog.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "sidecar/clock/system_clock.h"
#include "sidecar/gate/signals.h"

namespace tenure {
namespace {

using std::chrono::minutes;
using Kind = WatchdogNews::Kind;

class WatchdogTest : public testing::Test {
 protected:
  ~WatchdogTest() override { GiveSignalsBack(before_); }

  // Tells it deadlines until it has something to say; what it then says of the
  // command.
  std::optional<int> CodeUnderOrders(Watchdog* watchdog) {
    pollfd readable{watchdog->fd(), POLLIN, 0};
    do {
      watchdog->Tell({WatchdogOrder::Kind::kDeadline, 0, late_});
    } while (::poll(&readable, 1, 0) == 0);
    ::waitpid(watchdog->pid(), nullptr, 0);
    std::optional<int> code;
    while (watchdog->fd() >= 0) {
      while (const auto news = watchdog->Read()) {
        if (news->kind == Kind::kExited) code = news->code;
      }
    }
    return code;
  }

  const SignalState before_ = TakeSignals();
  const Deadline late_{ReadClocks().instant, minutes(10)};
};

// The kernel reports unread orders as a broken link, once, before the news.
TEST_F(WatchdogTest, ItsLastWordIsHeardThoughItLeftOrdersUnread) {
  Command command;
  command.words = {"sh", "-c", "exit 7"};
  command.signals = before_;
  for (int i = 0; i < 200; ++i) {
    auto watchdog = Watchdog::Start(command, late_);
    ASSERT_TRUE(watchdog);
    ASSERT_EQ(CodeUnderOrders(&*watchdog), 7) << "start " << i;
  }
}

TEST_F(WatchdogTest, ACodeIsKnownWhereChildrenWereIgnoredBefore) {
  GiveSignalsBack(before_);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  struct sigaction usual{};
  ASSERT_EQ(sigaction(SIGCHLD, &ignore, &usual), 0);
  const SignalState ignored = TakeSignals();
  Command command;
  command.words = {"sh", "-c", "exit 7"};
  command.signals = ignored;
  auto watchdog = Watchdog::Start(command, late_);
  ASSERT_TRUE(watchdog);
  EXPECT_EQ(CodeUnderOrders(&*watchdog), 7);
  GiveSignalsBack(ignored);
  sigaction(SIGCHLD, &usual, nullptr);
}

}  // namespace
}  // namespace tenure
