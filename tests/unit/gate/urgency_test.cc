#include "sidecar/gate/urgency.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace tenure {
namespace {

// What `child` returns in a process of its own.
int InAChild(const std::function<int()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(child());
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WEXITSTATUS(status);
}

int Policy() { return ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; }

bool Permitted() {
  return InAChild([] {
           BecomeUrgent();
           return Policy();
         }) == SCHED_RR;
}

TEST(UrgencyTest, IsNotInherited) {
  if (!Permitted()) GTEST_SKIP() << "no real-time priority is permitted here";
  EXPECT_EQ(InAChild([] {
              BecomeUrgent();
              return InAChild(Policy);
            }),
            SCHED_OTHER);
}

TEST(UrgencyTest, Ends) {
  if (!Permitted()) GTEST_SKIP() << "no real-time priority is permitted here";
  EXPECT_EQ(InAChild([] {
              BecomeUrgent();
              BecomeOrdinary();
              return Policy();
            }),
            SCHED_OTHER);
}

// As who started it wanted: batch, say.
TEST(UrgencyTest, LeavesAnotherPolicyAsItWas) {
  EXPECT_EQ(InAChild([] {
              const sched_param none{};
              ::sched_setscheduler(0, SCHED_BATCH, &none);
              BecomeOrdinary();
              return Policy();
            }),
            SCHED_BATCH);
}

}  // namespace
}  // namespace tenure
