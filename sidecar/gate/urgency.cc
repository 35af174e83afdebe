#include "sidecar/gate/urgency.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace tenure {
namespace {

struct State {
  bool permitted = false;
  bool urgent = false;
  int ordinary = SCHED_OTHER;  // or batch, or idle
};

State& Own() {
  static State state;
  return state;
}

// What has no right to real-time priority may have had it by a limit, and may
// then give it back only together with the flag.
bool Become(int policy, int priority) {
  sched_param wanted{};
  wanted.sched_priority = priority;
  return ::sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &wanted) == 0;
}

bool Ask() { return Become(SCHED_RR, ::sched_get_priority_min(SCHED_RR)); }

bool AskInAChild() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(Ask() ? 0 : 1);
  if (child < 0) return false;
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

bool RunsOnlyForSoLong() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_RTTIME, &limit) != 0 ||
         limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

bool MayBecomeUrgent() {
  const int policy = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  const bool ordinary =
      policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
  Own().permitted = ordinary && !RunsOnlyForSoLong() && AskInAChild();
  if (ordinary) Own().ordinary = policy;
  return Own().permitted;
}

void BecomeUrgent() {
  if (Own().permitted) Own().urgent = Ask();
}

void BecomeOrdinary() {
  if (Own().urgent) Own().urgent = !Become(Own().ordinary, 0);
}

}  // namespace tenure
