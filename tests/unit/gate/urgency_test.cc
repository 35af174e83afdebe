#include "sidecar/gate/urgency.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
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

int Urgent() {
  MayBecomeUrgent();
  BecomeUrgent();
  return Policy();
}

int UrgentAndBack() {
  if (Urgent() != SCHED_RR) return -1;
  BecomeOrdinary();
  return Policy();
}

void Choose(int policy, int priority) {
  sched_param wanted{};
  wanted.sched_priority = priority;
  ::sched_setscheduler(0, policy, &wanted);
}

class UrgencyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (InAChild(Urgent) != SCHED_RR) {
      GTEST_SKIP() << "no real-time priority is permitted here";
    }
  }
};

TEST_F(UrgencyTest, IsNotInherited) {
  EXPECT_EQ(InAChild([] {
              Urgent();
              return InAChild(Policy);
            }),
            SCHED_OTHER);
}

TEST_F(UrgencyTest, Ends) { EXPECT_EQ(InAChild(UrgentAndBack), SCHED_OTHER); }

TEST_F(UrgencyTest, EndsInThePolicyItBeganWith) {
  EXPECT_EQ(InAChild([] {
              Choose(SCHED_BATCH, 0);
              return UrgentAndBack();
            }),
            SCHED_BATCH);
}

// As where only a limit permits it: without the right to it nobody may clear
// the flag that keeps children ordinary.
TEST_F(UrgencyTest, EndsWithoutTheRightToBegin) {
  if (::getuid() != 0) GTEST_SKIP() << "only root can give up being root";
  EXPECT_EQ(InAChild([] {
              if (Urgent() != SCHED_RR || ::setuid(65534) != 0) return -1;
              BecomeOrdinary();
              return Policy();
            }),
            SCHED_OTHER);
}

// A guard below a command that somebody has put above others would guard less.
TEST_F(UrgencyTest, LeavesARealTimePriorityAsItIs) {
  EXPECT_EQ(InAChild([] {
              Choose(SCHED_FIFO, 10);
              Urgent();
              BecomeOrdinary();
              return Policy();
            }),
            SCHED_FIFO);
}

TEST_F(UrgencyTest, IsNotTakenWhereItMayLastOnlySoLong) {
  EXPECT_EQ(InAChild([] {
              const rlimit limit{1'000'000, 1'000'000};
              ::setrlimit(RLIMIT_RTTIME, &limit);
              return Urgent();
            }),
            SCHED_OTHER);
}

TEST_F(UrgencyTest, IsNotTakenUnasked) {
  EXPECT_EQ(InAChild([] {
              BecomeUrgent();
              return Policy();
            }),
            SCHED_OTHER);
}

}  // namespace
}  // namespace tenure
