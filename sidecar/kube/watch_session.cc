#include "sidecar/kube/watch_session.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sidecar/kube/lease_codec.h"

namespace tenure {
namespace {

using Kind = WatchEvent::Kind;

// When the loop takes no task: soon again.
constexpr Duration kPostAgain = std::chrono::milliseconds(20);
// Beyond this many doublings every delay is at its limit.
constexpr unsigned kMaxDoublings = 20;

// For a query value or path segment: unreserved characters stay.
std::string Encode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                       c == '_' || c == '~';
    if (plain) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
  }
  return encoded;
}

bool IsIpv6(const std::string& literal) {
  return literal.find(':') != std::string::npos;
}

bool TellsOfTheObject(const WatchEvent& event) {
  return event.kind == Kind::kChanged || event.kind == Kind::kDeleted ||
         event.kind == Kind::kBookmark;
}

// The oldest that a newer one makes needless: what befell the connection is
// kept, as long as there is anything else.
void DropOne(std::deque<WatchEvent>* events) {
  const auto oldest =
      std::find_if(events->begin(), events->end(), TellsOfTheObject);
  const bool newer =
      oldest != events->end() &&
      std::any_of(std::next(oldest), events->end(), TellsOfTheObject);
  events->erase(newer ? oldest : events->begin());
}

}  // namespace

// Ties what a connection says to the attempt it belongs to.
class WatchSession::Attempt : public WatchListener {
 public:
  Attempt(std::shared_ptr<WatchSession> session, std::uint64_t id)
      : session_(std::move(session)), id_(id) {}

  void OnOpened() override { session_->Opened(id_); }
  void OnBytes(std::string_view bytes) override {
    session_->Received(id_, bytes);
  }
  void OnEnd(const WatchEnd& end) override { session_->Ended(id_, end); }

 private:
  const std::shared_ptr<WatchSession> session_;
  const std::uint64_t id_;
};

WatchSession::WatchSession(const WatchSetup& setup, std::uint64_t jitter_seed,
                           std::string resource_version, LeaseWatch::Sink sink)
    : setup_(setup),
      sink_(std::move(sink)),
      jitter_(jitter_seed),
      resource_version_(std::move(resource_version)) {}

void WatchSession::Begin() {
  const Lock lock(mutex_);
  // On the pool: making a TLS context takes milliseconds the loop has not.
  Run(Duration{0}, &WatchSession::Open);
}

void WatchSession::Stop() {
  std::shared_ptr<WatchConnection> connection;
  {
    const Lock lock(mutex_);
    stopped_ = true;
    timer_.Cancel();
    post_timer_.Cancel();
    undelivered_.clear();
    connection = Drop();
  }
  if (connection != nullptr) connection->Cancel();
}

void WatchSession::Run(Duration delay, Step step) {
  const std::uint64_t id = ++timer_id_;
  timer_.RunAfter(delay, [weak = weak_from_this(), id, step] {
    const std::shared_ptr<WatchSession> self = weak.lock();
    if (self == nullptr) return;
    Lock lock(self->mutex_);
    if (self->stopped_ || id != self->timer_id_) return;
    ((*self).*step)(lock);
  });
}

// From now on nothing the connection says counts.
std::shared_ptr<WatchConnection> WatchSession::Drop() {
  ++attempt_;
  return std::exchange(connection_, nullptr);
}

void WatchSession::Open(Lock& lock) {
  std::shared_ptr<const ApiAccess> access = setup_.access->Current();
  if (!access->proxy_host.empty()) {
    ReportState(Kind::kDenied, "the watch cannot go through the proxy " +
                                   access->proxy_host +
                                   "; this standby polls instead");
    return;
  }
  if (access->addresses.empty()) {
    setup_.access->Refresh();
    Retry(false, Duration{0}, "no address of " + access->host + " is known");
    return;
  }
  std::string address = PickAddress(*access);
  if (address.empty()) {
    ReportState(Kind::kDenied,
                "the watch cannot reach IPv6 addresses with this build's HTTP "
                "library (" +
                    access->addresses.front() +
                    "); a release build can; this standby polls instead");
    return;
  }
  const WatchTarget target = Target(std::move(access), std::move(address));
  decoder_ = WatchDecoder();
  stable_ = false;
  const auto connection = WatchConnection::Create(
      std::make_shared<Attempt>(shared_from_this(), ++attempt_));
  connection_ = connection;
  Run(setup_.timing.opening, &WatchSession::GiveUpOpening);
  lock.unlock();  // Run may call back
  connection->Run(target);
}

std::string WatchSession::PickAddress(const ApiAccess& access) {
  std::vector<std::string> reachable;
  std::ranges::copy_if(access.addresses, std::back_inserter(reachable),
                       [](const std::string& address) {
                         return WatchReachesIpv6() || !IsIpv6(address);
                       });
  if (reachable.empty()) return "";
  return reachable[turn_++ % reachable.size()];
}

WatchTarget WatchSession::Target(std::shared_ptr<const ApiAccess> access,
                                 std::string address) {
  const WatchTiming& timing = setup_.timing;
  const auto limit = static_cast<std::uint64_t>(timing.server_limit.count());
  // Spread, so that standbys started together do not come back together.
  const std::uint64_t seconds = limit + jitter_.Below(limit / 4 + 1);
  std::string resource = access->path_prefix +
                         "/apis/coordination.k8s.io/v1/namespaces/" +
                         Encode(setup_.name_space) + "/leases?";
  // Without a version the server takes bookmarks to ask for a list by watch,
  // which it refuses where its etcd is older than 3.4.25: then there are none.
  if (!resource_version_.empty()) resource += "allowWatchBookmarks=true&";
  resource += "fieldSelector=metadata.name%3D" + Encode(setup_.lease) +
              "&timeoutSeconds=" + std::to_string(seconds);
  resource += "&resourceVersion=" +
              (resource_version_.empty() ? "0" : Encode(resource_version_));
  resource += "&watch=true";
  return WatchTarget{
      .access = std::move(access),
      .address = std::move(address),
      .resource = std::move(resource),
      .user_agent = setup_.user_agent,
      .longest_gap = timing.opening + 2 * timing.silence,
  };
}

void WatchSession::GiveUpOpening(Lock& lock) {
  const std::shared_ptr<WatchConnection> connection = Drop();
  Retry(false, Duration{0}, "the API server did not answer the watch in time");
  lock.unlock();
  if (connection != nullptr) connection->Cancel();
}

void WatchSession::Opened(std::uint64_t id) {
  const Lock lock(mutex_);
  if (stopped_ || id != attempt_) return;
  forbidden_ = 0;
  unanswered_ = false;
  if (reported_ != Kind::kOpened) ReportState(Kind::kOpened, "");
  Run(setup_.timing.stable, &WatchSession::Settle);
}

void WatchSession::Settle(Lock& /*lock*/) {
  stable_ = true;
  failures_ = 0;
  hurried_ = false;
  heard_ = true;
  Run(setup_.timing.silence, &WatchSession::CheckSilence);
}

void WatchSession::CheckSilence(Lock& lock) {
  if (std::exchange(heard_, false)) {
    Run(setup_.timing.silence, &WatchSession::CheckSilence);
    return;
  }
  const std::shared_ptr<WatchConnection> silent = Drop();
  // Quietly: only if this fails has the watch been lost.
  Run(Duration{0}, &WatchSession::Open);
  lock.unlock();
  if (silent != nullptr) silent->Cancel();
}

void WatchSession::Received(std::uint64_t id, std::string_view bytes) {
  std::shared_ptr<WatchConnection> useless;
  Lock lock(mutex_);
  if (stopped_ || id != attempt_) return;
  heard_ = true;
  for (WatchEvent& event : decoder_.Feed(bytes)) {
    if (event.kind == Kind::kExpired) {
      timer_.Cancel();
      useless = Drop();
      ReportState(Kind::kExpired, std::move(event.message));
    } else if (event.kind == Kind::kClosed) {
      useless = Drop();
      Retry(true, Duration{0}, event.message);
    } else {
      if (!event.record.resource_version.empty()) {
        resource_version_ = event.record.resource_version;
      }
      Report(std::move(event));
    }
  }
  lock.unlock();
  if (useless != nullptr) useless->Cancel();
}

void WatchSession::Ended(std::uint64_t id, const WatchEnd& end) {
  const Lock lock(mutex_);
  if (stopped_ || id != attempt_) return;
  Drop();
  if (end.status == 200 && stable_ && end.message.empty()) {
    // The limit we asked for. Quietly: only if this fails is the watch lost.
    Run(Duration{0}, &WatchSession::Open);
    return;
  }
  if (end.status == 200) {
    Retry(true, Duration{0},
          end.message.empty() ? "the API server ended the watch at once"
                              : "the watch broke: " + end.message);
    return;
  }
  if (end.status == 0) {
    Retry(false, Duration{0}, "the watch could not be opened: " + end.message);
    return;
  }
  Refused(end);
}

void WatchSession::Refused(const WatchEnd& end) {
  const std::string said = StatusMessage(end.message);
  if (end.status == 410) {
    timer_.Cancel();
    ReportState(Kind::kExpired, said);
    return;
  }
  std::string message = "the API server answered the watch with " +
                        std::to_string(end.status) + ": " + said;
  if (end.status == 401) {
    setup_.access->Refresh();
  } else if (end.status == 403) {
    message =
        "RBAC forbids the verb watch on leases.coordination.k8s.io \"" +
        setup_.lease + "\" in namespace \"" + setup_.name_space + "\" (" +
        said +
        "); a Role in that namespace, bound to this service account, needs "
        "{apiGroups: [coordination.k8s.io], resources: [leases], "
        "resourceNames: [" +
        setup_.lease + "], verbs: [watch]}; until then this standby polls";
    if (++forbidden_ >= setup_.timing.forbidden_answers) {
      timer_.Cancel();
      ReportState(Kind::kDenied, std::move(message));
      return;
    }
  }
  if (end.status != 403) forbidden_ = 0;
  Retry(true, end.retry_after, message);
}

void WatchSession::Retry(bool answered, Duration at_least,
                         const std::string& message) {
  // The first answer after an outage: the server is back, so hurry, once.
  if (answered && unanswered_ && !hurried_) {
    hurried_ = true;
    failures_ = 0;
  }
  unanswered_ = !answered;
  if (reported_ != Kind::kClosed || reason_ != message) {
    reason_ = message;
    ReportState(Kind::kClosed, message);
  }
  Run(std::max(NextDelay(answered), at_least), &WatchSession::Open);
}

// Doubled with each failure in a row, and between half of that and all of it.
Duration WatchSession::NextDelay(bool answered) {
  const WatchTiming& timing = setup_.timing;
  const Duration limit =
      answered ? timing.longest_delay : timing.longest_unanswered_delay;
  const Duration full = std::min(
      timing.first_delay * (1U << std::min(failures_, kMaxDoublings)), limit);
  ++failures_;
  const auto half = static_cast<std::uint64_t>(full.count() / 2);
  return full / 2 + Duration(jitter_.Below(half + 1));
}

void WatchSession::ReportState(Kind kind, std::string message) {
  reported_ = kind;
  WatchEvent event;
  event.kind = kind;
  event.message = std::move(message);
  Report(std::move(event));
}

void WatchSession::Report(WatchEvent event) {
  undelivered_.push_back(std::move(event));
  if (undelivered_.size() > kMaxUndelivered) DropOne(&undelivered_);
  Post();
}

void WatchSession::Post() {
  if (posted_ || undelivered_.empty()) return;
  posted_ = setup_.post([self = shared_from_this()] { self->Deliver(); });
  if (posted_) return;
  post_timer_.RunAfter(kPostAgain, [weak = weak_from_this()] {
    const std::shared_ptr<WatchSession> self = weak.lock();
    if (self == nullptr) return;
    const Lock lock(self->mutex_);
    if (!self->stopped_) self->Post();
  });
}

// On the loop thread.
void WatchSession::Deliver() {
  std::deque<WatchEvent> events;
  {
    const Lock lock(mutex_);
    posted_ = false;
    events.swap(undelivered_);
  }
  for (WatchEvent& event : events) {
    if (stopped_) return;  // perhaps by the sink itself
    sink_(std::move(event));
  }
}

}  // namespace tenure
