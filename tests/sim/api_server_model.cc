#include "tests/sim/api_server_model.h"

#include <utility>

#include "sidecar/base/check.h"

namespace tenure::sim {
namespace {

Answer Refuse(ErrorCode code, std::string message) {
  return std::unexpected(StoreError{code, std::move(message), Duration{0}});
}

LeaseRecord RecordOf(const LeaseWrite& write) {
  LeaseRecord record;
  record.holder = write.holder;
  record.duration_seconds = write.duration_seconds;
  record.acquire_time = write.acquire_time;
  record.renew_time = write.renew_time;
  record.transitions = write.transitions;
  if (write.generation) record.generation = std::to_string(*write.generation);
  record.write = write.write;
  record.last_run = write.last_run.value_or(LastRun{});
  record.document = write.document;
  return record;
}

}  // namespace

Answer ApiServerModel::Get() const {
  if (!lease_) return Refuse(ErrorCode::kNotFound, "404: no such lease");
  return LeaseReply{false, *lease_};
}

Answer ApiServerModel::Put(const LeaseWrite& write) {
  if (write.duration_seconds < 0) {
    return Refuse(ErrorCode::kRefused, "422: leaseDurationSeconds");
  }
  LeaseRecord record = RecordOf(write);
  // A create that names no holder needs no duration; zero is not sent then.
  if (write.duration_seconds == 0) record.duration_seconds.reset();
  if (!lease_) {
    if (!write.uid.empty()) {
      return Refuse(ErrorCode::kConflict, "409: precondition failed: uid");
    }
    Store(std::move(record), true);  // create on update
    return LeaseReply{true, *lease_};
  }
  if (!write.uid.empty() && write.uid != lease_->uid) {
    return Refuse(ErrorCode::kConflict, "409: precondition failed: uid");
  }
  if (write.resource_version.empty()) {
    return Refuse(ErrorCode::kRefused,
                  "422: metadata.resourceVersion must be specified");
  }
  if (write.resource_version != lease_->resource_version) {
    return Refuse(ErrorCode::kConflict, "409: the object has been modified");
  }
  // The codec merges: what a write of ours does not name stays.
  if (!write.generation) record.generation = lease_->generation;
  if (!write.last_run) record.last_run = lease_->last_run;
  if (!write.acquire_time) record.acquire_time = lease_->acquire_time;
  if (!write.renew_time) record.renew_time = lease_->renew_time;
  if (!write.transitions) record.transitions = lease_->transitions;
  Store(std::move(record), false);
  return LeaseReply{false, *lease_};
}

bool ApiServerModel::Delete() {
  if (!lease_) return false;
  ++revision_;
  WatchEvent event;
  event.kind = WatchEvent::Kind::kDeleted;
  event.record = *lease_;
  event.record.resource_version = std::to_string(revision_);
  lease_.reset();
  Remember(std::move(event));
  return true;
}

bool ApiServerModel::EditByHand(const Edit& edit) {
  if (!lease_) return false;
  LeaseRecord record = *lease_;
  edit(&record);
  Store(std::move(record), false);
  return true;
}

void ApiServerModel::CreateByHand(LeaseRecord record) {
  Store(std::move(record), !lease_);
}

void ApiServerModel::Restore(const Backup& backup, bool bump) {
  revision_ = bump ? revision_ + 1000 : backup.revision;
  lease_ = backup.lease;
  changes_.clear();
  compacted_ = revision_;
  ++restores_;
}

void ApiServerModel::Compact() {
  changes_.clear();
  compacted_ = revision_;
}

void ApiServerModel::Store(LeaseRecord record, bool created) {
  if (webhook_) webhook_(&record);
  record.uid = created ? "uid-" + std::to_string(++uids_) : lease_->uid;
  record.resource_version = std::to_string(++revision_);
  lease_ = std::move(record);
  WatchEvent event;
  event.kind = WatchEvent::Kind::kChanged;
  event.record = *lease_;
  Remember(std::move(event));
}

void ApiServerModel::Remember(WatchEvent event) {
  changes_.push_back(Change{revision_, std::move(event)});
  if (changes_.size() > kHistory) {
    compacted_ = changes_.front().revision;
    changes_.pop_front();
  }
}

}  // namespace tenure::sim
