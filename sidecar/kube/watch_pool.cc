#include "sidecar/kube/watch_pool.h"

// clang-format off: <utility> first, Asio's coroutine header forgets it
#include <utility>
#include <pplx/threadpool.h>
// clang-format on
#include <openssl/ssl.h>

#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <stdexcept>

#include "sidecar/coordinator/signals_blocked.h"

namespace tenure {
namespace {

// One is enough, because nothing on it blocks, and it is the cheapest: with two
// an event wakes both, and costs a third more.
constexpr std::size_t kThreads = 1;

void InitializePool() {
  // Before the pool, so that at exit OpenSSL is cleaned up after the thread
  // that uses it was joined, not under it.
  OPENSSL_init_ssl(0, nullptr);
  const SignalsBlocked blocked;
  try {
    crossplat::threadpool::initialize_with_threads(kThreads);
  } catch (const std::runtime_error&) {
    // Somebody else started it first, with more threads than we need.
  }
}

}  // namespace

void StartWatchPool() {
  static std::once_flag once;
  std::call_once(once, InitializePool);
}

class PoolTimer::Clock {
 public:
  Clock() : timer(crossplat::threadpool::shared_instance().service()) {}

  boost::asio::steady_timer timer;
};

PoolTimer::PoolTimer() {
  StartWatchPool();
  clock_ = std::make_unique<Clock>();
}

PoolTimer::~PoolTimer() = default;

void PoolTimer::RunAfter(Duration delay, std::function<void()> task) {
  clock_->timer.expires_after(delay);
  clock_->timer.async_wait([task = std::move(task)](auto error) {
    if (!error) task();
  });
}

void PoolTimer::Cancel() { clock_->timer.cancel(); }

}  // namespace tenure
