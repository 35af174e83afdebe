#include "sidecar/cli/termination.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "sidecar/base/check.h"
#include "sidecar/kube/child_process.h"

namespace tenure {
namespace {

constexpr int kSignalExit = 128;  // plus the signal, as shells report it

enum Phase : int { kStarting, kArmed, kSignalled };

// What a handler can reach: it has no argument of ours.
std::atomic<int> g_phase{kStarting};
std::atomic<int> g_event{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void Say(const char* text) {
  [[maybe_unused]] const ssize_t result =
      write(STDERR_FILENO, text, std::strlen(text));
}

// Who waits for the first answer of a program does not see which.
void SayWhatWasRunning() {
  if (*RunningChild() == '\0') return;
  Say("tenure: stopped while waiting for the credential plugin ");
  Say(RunningChild());
  Say(" to answer\n");
}

void OnSignal(int signal) {
  int phase = kArmed;
  if (!g_phase.compare_exchange_strong(phase, kSignalled)) {
    if (phase == kStarting) SayWhatWasRunning();
    KillRunningChild();
    _exit(kSignalExit + signal);
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t result =
      write(g_event.load(), &one, sizeof one);
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  CHECK(sigaction(signal, &action, nullptr) == 0);
}

}  // namespace

class Termination::State {
 public:
  State(boost::asio::io_context& context, int event,
        std::function<void()> first)
      : event_(context, event), first_(std::move(first)) {
    event_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [this](const boost::system::error_code& error) {
                        if (!error) first_();
                      });
  }

 private:
  boost::asio::posix::stream_descriptor event_;  // closes it
  const std::function<void()> first_;
};

Termination::Termination() {
  Handle(SIGPIPE, SIG_IGN);
  Handle(SIGTERM, OnSignal);
  Handle(SIGINT, OnSignal);
}

Termination::~Termination() { g_phase = kStarting; }

void Termination::Arm(boost::asio::io_context& context,
                      std::function<void()> first) {
  CHECK(state_ == nullptr);
  const int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  CHECK(event >= 0);
  g_event = event;
  state_ = std::make_unique<State>(context, event, std::move(first));
  g_phase = kArmed;
}

}  // namespace tenure
