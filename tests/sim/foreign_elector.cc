#include "tests/sim/foreign_elector.h"

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kName[] = "elector";
constexpr std::int32_t kDurationSeconds = 15;
constexpr Duration kRenewDeadline = seconds(10);
constexpr Duration kRetryPeriod = seconds(2);

}  // namespace

void ForeignElector::Run(Duration lasts) {
  until_ = scene_->now() + lasts;
  if (running_) return;
  running_ = true;
  Try();
}

void ForeignElector::Try() {
  if (holds_ && scene_->now() - renewed_ > kRenewDeadline) holds_ = false;
  if (scene_->now() >= until_) {
    running_ = false;
    if (holds_ && scene_->chance.Permille(500)) Release();
    holds_ = false;
    return;
  }
  const Answer answer = service_->lease(lease_).Get();
  if (answer && !service_->server().down) {
    const LeaseRecord& record = answer->record;
    if (!observed_ || Changed(*observed_, record)) {
      observed_ = record;
      observed_at_ = scene_->now();
    }
    if (record.holder == kName) {
      Put(record, false);
    } else {
      holds_ = false;
      if (MayTake(record)) Put(record, true);
    }
  }
  scene_->queue.In(
      kRetryPeriod + scene_->chance.Between(Duration{0}, milliseconds(400)),
      [this] { Try(); });
}

bool ForeignElector::MayTake(const LeaseRecord& record) {
  if (!record.unreadable.empty()) return false;
  if (record.holder.empty()) return true;
  const Duration good = seconds(record.duration_seconds.value_or(0));
  // Both times are cut to whole seconds: up to one second too early.
  return scene_->now() - observed_at_ >=
         good - scene_->chance.Between(Duration{0}, milliseconds(999));
}

void ForeignElector::Put(const LeaseRecord& base, bool acquire) {
  LeaseRecord next = base;
  next.holder = kName;
  next.duration_seconds = kDurationSeconds;
  next.renew_time = WallTime{
      std::chrono::duration_cast<std::chrono::microseconds>(scene_->now())};
  if (acquire) {
    scene_->Count(Fault::kForeignHolder);
    next.acquire_time = next.renew_time;
    next.transitions = base.transitions.value_or(0) + 1;
    scene_->Note(Incident::Kind::kForeignAcquired, -1, lease_, 0);
  }
  if (drops_) {
    if (next.generation) scene_->Count(Fault::kAnnotationDropped);
    next.generation.reset();
    next.write.clear();
  }
  service_->lease(lease_).EditByHand(
      [&next](LeaseRecord* record) { *record = next; });
  service_->TellWatches(lease_);
  holds_ = true;
  renewed_ = scene_->now();
}

void ForeignElector::Release() {
  service_->lease(lease_).EditByHand([](LeaseRecord* record) {
    if (record->holder != kName) return;
    record->holder.clear();
    record->duration_seconds = 1;
  });
  service_->TellWatches(lease_);
}

}  // namespace tenure::sim
