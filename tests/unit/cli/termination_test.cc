#include "sidecar/cli/termination.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>

namespace tenure {
namespace {

using testing::ExitedWithCode;

TEST(TerminationDeathTest, BeforeArmASignalEndsTheProcessAtOnce) {
  EXPECT_EXIT(
      {
        const Termination termination;
        raise(SIGTERM);
      },
      ExitedWithCode(143), "");
}

TEST(TerminationDeathTest, TheFirstCallsBackAndTheSecondEnds) {
  EXPECT_EXIT(
      {
        boost::asio::io_context context;
        Termination termination;
        termination.Arm(context, [] { raise(SIGINT); });
        raise(SIGTERM);
        context.run();
      },
      ExitedWithCode(130), "");
}

TEST(TerminationDeathTest, TheSecondEndsAlsoWhileTheLoopIsStuck) {
  EXPECT_EXIT(
      {
        boost::asio::io_context context;
        Termination termination;
        termination.Arm(context, [] {});
        raise(SIGTERM);  // nobody runs the context
        raise(SIGTERM);
      },
      ExitedWithCode(143), "");
}

TEST(TerminationDeathTest, TheFirstAloneLeavesTheProcessToItsLoop) {
  EXPECT_EXIT(
      {
        boost::asio::io_context context;
        Termination termination;
        int calls = 0;
        termination.Arm(context, [&calls] { ++calls; });
        raise(SIGTERM);
        context.run();
        _exit(calls);
      },
      ExitedWithCode(1), "");
}

TEST(TerminationDeathTest, ABrokenPipeIsAnErrorOnly) {
  EXPECT_EXIT(
      {
        const Termination termination;
        raise(SIGPIPE);
        _exit(7);
      },
      ExitedWithCode(7), "");
}

}  // namespace
}  // namespace tenure
