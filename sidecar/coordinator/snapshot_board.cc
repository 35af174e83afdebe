#include "sidecar/coordinator/snapshot_board.h"

#include <utility>

#include "sidecar/base/check.h"

namespace tenure {

SnapshotBoard::SnapshotBoard(std::vector<std::string> leases)
    : leases_(std::move(leases)),
      slots_(leases_.size(), std::make_shared<const AuthoritySnapshot>()) {
  CHECK(!leases_.empty());
}

std::shared_ptr<const AuthoritySnapshot> SnapshotBoard::Read(
    std::size_t index) const {
  CHECK(index < leases_.size());
  const std::lock_guard lock(mutex_);
  return slots_[index];
}

void SnapshotBoard::Publish(std::size_t index,
                            std::shared_ptr<const AuthoritySnapshot> snapshot) {
  CHECK(index < leases_.size());
  CHECK(snapshot != nullptr);
  {
    const std::lock_guard lock(mutex_);
    // Swapped, so that the old one is destroyed outside the mutex.
    slots_[index].swap(snapshot);
  }
  if (listener_) listener_(index);
}

void SnapshotBoard::SetListener(std::function<void(std::size_t)> listener) {
  listener_ = std::move(listener);
}

void SnapshotBoard::Beat(const Instant& now) {
  const std::lock_guard lock(mutex_);
  last_beat_ = now;
}

Instant SnapshotBoard::LastBeat() const {
  const std::lock_guard lock(mutex_);
  return last_beat_;
}

}  // namespace tenure
