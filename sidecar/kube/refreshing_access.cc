#include "sidecar/kube/refreshing_access.h"

#include <sys/stat.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#include "sidecar/clock/system_clock.h"
#include "sidecar/coordinator/signals_blocked.h"

namespace tenure {
namespace {

// What tells one version of a file from the next; Kubernetes swaps a symbolic
// link, which changes what stat finds behind it.
struct FileMark {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = -1;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

FileMark MarkOf(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return FileMark{};
  return FileMark{status.st_dev, status.st_ino, status.st_size,
                  status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

std::vector<FileMark> MarksOf(const std::vector<std::string>& files) {
  std::vector<FileMark> marks;
  marks.reserve(files.size());
  for (const std::string& file : files) marks.push_back(MarkOf(file));
  return marks;
}

const std::string& Dialled(const ApiAccess& access) {
  return access.proxy_host.empty() ? access.host : access.proxy_host;
}

// Everything that a new connection would be made with, but not the addresses.
bool SameEndpoint(const ApiAccess& a, const ApiAccess& b) {
  return a.tls == b.tls && a.host == b.host && a.port == b.port &&
         a.verify_name == b.verify_name && a.insecure == b.insecure &&
         a.ca_pem == b.ca_pem && a.client_cert_pem == b.client_cert_pem &&
         a.client_key_pem == b.client_key_pem && a.proxy_host == b.proxy_host &&
         a.proxy_port == b.proxy_port &&
         a.proxy_authorization == b.proxy_authorization;
}

// Shared with the thread, which may outlive the source while it is blocked.
class Refresher {
 public:
  Refresher(std::unique_ptr<AccessLoader> loader, HostResolver resolver,
            const RefreshPace& pace)
      : loader_(std::move(loader)),
        resolver_(std::move(resolver)),
        pace_(pace) {}

  // The refresher thread, and before it starts its creator.
  Result<void> Reload(bool renew);
  void Run();

  std::shared_ptr<const ApiAccess> Current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  void Refresh() {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    wake_.notify_one();
  }

  // Returns whether the thread will end at once, and can be joined.
  bool Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
    return !working_;
  }

 private:
  bool WaitForWork(bool* renew);
  bool Expiring() const;
  void Resolve(ApiAccess* access);
  void Publish(ApiAccess access);

  const std::unique_ptr<AccessLoader> loader_;
  const HostResolver resolver_;
  const RefreshPace pace_;

  // The refresher thread only.
  LoadedAccess loaded_;
  std::vector<FileMark> marks_;
  int polls_since_resolution_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<const ApiAccess> current_;
  bool wanted_ = false;
  bool stopped_ = false;
  bool working_ = false;
};

Result<void> Refresher::Reload(bool renew) {
  // Before reading: a change in between is then seen at the next poll.
  std::vector<FileMark> marks = MarksOf(loaded_.files);
  auto loaded = loader_->Load(renew);
  if (!loaded.has_value()) {
    if (const auto current = Current()) {
      ApiAccess access = *current;
      access.refresh_error = loaded.error().message;
      Resolve(&access);
      Publish(std::move(access));
    }
    return std::unexpected(loaded.error());
  }
  // Other files than before are marked now, which may be after a change; they
  // are read again once more.
  marks_ = loaded->files == loaded_.files ? std::move(marks)
                                          : std::vector<FileMark>{};
  loaded_ = *std::move(loaded);
  ApiAccess access = loaded_.access;
  Resolve(&access);
  Publish(std::move(access));
  return {};
}

void Refresher::Resolve(ApiAccess* access) {
  polls_since_resolution_ = 0;
  const std::string& host = Dialled(*access);
  auto addresses = resolver_(host);
  if (addresses.has_value()) {
    access->addresses = *std::move(addresses);
    return;
  }
  // The last good answer serves on while the name server is dead.
  const auto current = Current();
  if (current != nullptr && Dialled(*current) == host) {
    access->addresses = current->addresses;
  }
  if (access->refresh_error.empty()) {
    access->refresh_error = addresses.error().message;
  }
}

void Refresher::Publish(ApiAccess access) {
  const std::lock_guard lock(mutex_);
  if (current_ != nullptr) {
    access.tls_serial =
        current_->tls_serial + (SameEndpoint(*current_, access) ? 0U : 1U);
  }
  current_ = std::make_shared<const ApiAccess>(std::move(access));
}

bool Refresher::Expiring() const {
  return loaded_.expires.has_value() &&
         ReadClocks().wall.since_epoch + kCredentialMargin >=
             loaded_.expires->since_epoch;
}

// False when it is time to end.
bool Refresher::WaitForWork(bool* renew) {
  std::unique_lock lock(mutex_);
  working_ = false;
  wake_.wait_for(lock, pace_.poll, [this] { return wanted_ || stopped_; });
  *renew = std::exchange(wanted_, false);
  if (stopped_) return false;
  working_ = true;
  return true;
}

void Refresher::Run() {
  bool renew = false;
  while (WaitForWork(&renew)) {
    ++polls_since_resolution_;
    const bool unresolved = Current()->addresses.empty();
    if (renew || Expiring() || MarksOf(loaded_.files) != marks_) {
      // Its failure is in the snapshot, which stays otherwise.
      [[maybe_unused]] const Result<void> reloaded = Reload(renew);
    } else if (unresolved ||
               polls_since_resolution_ >= pace_.polls_per_resolution) {
      ApiAccess access = *Current();
      if (access.addresses.empty()) access.refresh_error.clear();
      Resolve(&access);
      Publish(std::move(access));
    }
    std::unique_lock lock(mutex_);
    working_ = false;
    if (renew) {
      wake_.wait_for(lock, pace_.spacing, [this] { return stopped_; });
    }
  }
}

class RefreshingAccess : public AccessSource {
 public:
  explicit RefreshingAccess(std::shared_ptr<Refresher> refresher)
      : refresher_(std::move(refresher)) {
    const SignalsBlocked blocked;
    thread_ = std::thread([shared = refresher_] { shared->Run(); });
  }

  ~RefreshingAccess() override {
    if (refresher_->Stop()) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }

  std::shared_ptr<const ApiAccess> Current() const override {
    return refresher_->Current();
  }
  void Refresh() override { refresher_->Refresh(); }

 private:
  const std::shared_ptr<Refresher> refresher_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<AccessSource>> NewRefreshingAccess(
    std::unique_ptr<AccessLoader> loader, HostResolver resolver,
    const RefreshPace& pace) {
  auto refresher =
      std::make_shared<Refresher>(std::move(loader), std::move(resolver), pace);
  if (auto loaded = refresher->Reload(/*renew=*/false); !loaded.has_value()) {
    return std::unexpected(loaded.error());
  }
  return std::make_unique<RefreshingAccess>(std::move(refresher));
}

}  // namespace tenure
