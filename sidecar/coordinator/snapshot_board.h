// SnapshotBoard: where the driver publishes and every reader looks.
//
// Thread safety: all methods from any thread. A reader copies one shared
// pointer under a mutex that is never held across anything that can wait.
#ifndef TENURE_COORDINATOR_SNAPSHOT_BOARD_H_
#define TENURE_COORDINATOR_SNAPSHOT_BOARD_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sidecar/authority/authority_snapshot.h"

namespace tenure {

class SnapshotBoard {
 public:
  // One slot for each lease, in this order, fixed for life. Every slot starts
  // with an unsettled snapshot: uncertain.
  explicit SnapshotBoard(std::vector<std::string> leases);

  const std::vector<std::string>& leases() const { return leases_; }

  // REQUIRES: index < leases().size(). Never null.
  std::shared_ptr<const AuthoritySnapshot> Read(std::size_t index) const;

  void Publish(std::size_t index,
               std::shared_ptr<const AuthoritySnapshot> snapshot);

  // Called on the publishing thread after each Publish, outside the mutex.
  // Must not block. Set before the first Publish.
  void SetListener(std::function<void(std::size_t index)> listener);

  // The loop beats at least every 4 s while it makes progress (S12).
  void Beat(const Instant& now);
  Instant LastBeat() const;

 private:
  const std::vector<std::string> leases_;
  std::function<void(std::size_t)> listener_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const AuthoritySnapshot>> slots_;
  Instant last_beat_;
};

}  // namespace tenure

#endif  // TENURE_COORDINATOR_SNAPSHOT_BOARD_H_
