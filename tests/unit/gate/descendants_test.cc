#include "sidecar/gate/descendants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <latch>
#include <map>
#include <thread>

#include "sidecar/gate/listed_children.h"

namespace tenure {
namespace {

using testing::Contains;

// root - child - grandchild, the last in a session of its own.
class Tree {
 public:
  Tree() {
    // Who dies comes here, and says of what.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    Fork(ends[1], 0);
    for (pid_t& pid : pids_) {
      EXPECT_EQ(::read(ends[0], &pid, sizeof pid),
                static_cast<ssize_t>(sizeof pid));
    }
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Tree() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

  pid_t root() const { return pids_[0]; }
  pid_t child() const { return pids_[1]; }
  pid_t grandchild() const { return pids_[2]; }

  // Kills what is left, from the root down, and tells of what each died.
  std::map<pid_t, int> DiedOf() const {
    std::map<pid_t, int> died_of;
    for (const pid_t pid : pids_) {
      ::kill(pid, SIGKILL);
      int status = 0;
      EXPECT_EQ(::waitpid(pid, &status, 0), pid);
      died_of[pid] = WTERMSIG(status);
    }
    return died_of;
  }

 private:
  // Each tells its number once the one before has.
  static void Fork(int tell, int depth) {
    if (::fork() != 0) return;
    if (depth == 2) ::setsid();
    const pid_t own = ::getpid();
    if (::write(tell, &own, sizeof own) != sizeof own) ::_exit(1);
    if (depth < 2) Fork(tell, depth + 1);
    while (true) ::pause();
  }

  std::array<pid_t, 3> pids_{};
};

TEST(SignalListedTest, ReachesAllBelowTheRootAndNotTheRoot) {
  const Tree tree;
  SignalListed(tree.root(), Spared{}, SIGUSR1);
  const auto died_of = tree.DiedOf();
  EXPECT_EQ(died_of.at(tree.root()), SIGKILL);
  EXPECT_EQ(died_of.at(tree.child()), SIGUSR1);
  EXPECT_EQ(died_of.at(tree.grandchild()), SIGUSR1);
}

TEST(SignalListedTest, SparesOneAloneAndReachesWhatIsBelowIt) {
  const Tree tree;
  SignalListed(tree.root(), Spared{tree.child(), 0}, SIGUSR1);
  const auto died_of = tree.DiedOf();
  EXPECT_EQ(died_of.at(tree.child()), SIGKILL);
  EXPECT_EQ(died_of.at(tree.grandchild()), SIGUSR1);
}

TEST(SignalListedTest, SparesOneWithAllThatIsBelowIt) {
  const Tree tree;
  SignalListed(tree.root(), Spared{0, tree.child()}, SIGUSR1);
  const auto died_of = tree.DiedOf();
  EXPECT_EQ(died_of.at(tree.child()), SIGKILL);
  EXPECT_EQ(died_of.at(tree.grandchild()), SIGKILL);
}

TEST(KillListedTest, ReachesAllBelowTheRootAndNotTheRoot) {
  const Tree tree;
  ::kill(tree.root(), SIGSTOP);  // or it would leave none of them unreaped
  KillListed(tree.root(), Spared{});
  EXPECT_EQ(::kill(tree.root(), 0), 0);
  EXPECT_EQ(tree.DiedOf().at(tree.grandchild()), SIGKILL);
}

// Each is new until the one that forks has been met: more than one look, and
// it ends all the same.
TEST(KillListedTest, ComesToTheEndOfWhatForksMeanwhile) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t forks = ::fork();
  if (forks == 0) {
    // Should this test be killed: not for ever.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
      if (::fork() != 0) ::_exit(0);  // the next one goes on
    }
    ::_exit(0);
  }
  do {
    KillListed(::getpid(), Spared{});
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  } while (::waitpid(-1, nullptr, 0) > 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ListedChildrenTest, AreThoseOfEveryThread) {
  std::latch forked(1);
  std::latch looked(1);
  pid_t of_thread = 0;
  std::thread other([&] {
    of_thread = ::fork();
    if (of_thread == 0) {
      while (true) ::pause();
    }
    forked.count_down();
    looked.wait();
  });
  forked.wait();
  const auto children = ListedChildren(::getpid());
  looked.count_down();
  other.join();
  ::kill(of_thread, SIGKILL);
  ::waitpid(of_thread, nullptr, 0);
  ASSERT_TRUE(children);
  EXPECT_THAT(*children, Contains(of_thread));
  EXPECT_FALSE(ListedChildren(of_thread)) << "it is gone";
}

// In a mount namespace of its own, another PID namespace's /proc over ours.
// False where the system does not let us.
bool MountForeignProc() {
  if (::unshare(CLONE_NEWNS | CLONE_NEWPID) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return false;
  }
  int ends[2];
  if (::pipe(ends) != 0) return false;
  if (::fork() == 0) {
    // Its first process, with a child.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const pid_t child = ::fork();
    if (child == 0) {
      while (true) ::pause();
    }
    const char done =
        ::mount("proc", "/proc", "proc", 0, nullptr) == 0 ? 'y' : 'n';
    if (::write(ends[1], &done, 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char done = 'n';
  return ::read(ends[0], &done, 1) == 1 && done == 'y';
}

TEST(DescendantsTest, AreFoundAlthoughAnotherProcIsMountedOverOurs) {
  constexpr int kNotAllowed = 2;
  const pid_t pid = ::fork();
  if (pid == 0) {
    // As a guard does before it starts the command.
    if (!SeesProcesses()) ::_exit(1);
    if (!MountForeignProc()) ::_exit(kNotAllowed);
    const auto children = ListedChildren(::getpid());
    const bool listed = children && children->size() == 1;
    const bool found = SignalDescendants(::getpid(), Spared{}, SIGKILL) == 2;
    ::_exit(listed && found ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  if (WEXITSTATUS(status) == kNotAllowed) GTEST_SKIP() << "needs root";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tenure
