#include "sidecar/kube/watch_stream.h"

#include <utility>

#include "sidecar/base/prng.h"
#include "sidecar/kube/watch_session.h"

namespace tenure {
namespace {

class WatchStream : public LeaseWatch {
 public:
  WatchStream(WatchSetup setup, std::uint64_t jitter_seed)
      : setup_(std::move(setup)), seeds_(jitter_seed) {}
  ~WatchStream() override { Stop(); }

  void Start(std::string resource_version, Sink sink) override {
    Stop();
    session_ = std::make_shared<WatchSession>(
        setup_, seeds_.Next(), std::move(resource_version), std::move(sink));
    session_->Begin();
  }

  void Stop() override {
    if (session_ == nullptr) return;
    std::exchange(session_, nullptr)->Stop();
  }

 private:
  const WatchSetup setup_;
  Prng seeds_;
  std::shared_ptr<WatchSession> session_;
};

}  // namespace

std::unique_ptr<LeaseWatch> NewWatchStream(
    std::function<bool(std::function<void()>)> post, AccessSource* access,
    const std::string& name_space, const std::string& lease,
    const std::string& user_agent, std::uint64_t jitter_seed,
    const WatchTiming& timing) {
  return std::make_unique<WatchStream>(WatchSetup{.post = std::move(post),
                                                  .access = access,
                                                  .name_space = name_space,
                                                  .lease = lease,
                                                  .user_agent = user_agent,
                                                  .timing = timing},
                                       jitter_seed);
}

}  // namespace tenure
