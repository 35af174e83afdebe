#include "sidecar/embedded/lease_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/check.h"
#include "sidecar/embedded/lease_json.h"
#include "sidecar/embedded/lease_object.h"

namespace tenure::embedded {
namespace {

LeaseTable::Key KeyOf(const LeaseObject& lease) {
  return {lease.metadata.name_space, lease.metadata.name};
}

bool InRange(const LeaseTable::Key& key, const LeaseTable::Range& range) {
  return (range.name_space.empty() || key.first == range.name_space) &&
         key > range.after;
}

}  // namespace

LeaseVersion LeaseTable::Find(const Key& key) const {
  const auto found = leases_.find(key);
  return found == leases_.end() ? nullptr : found->second;
}

std::vector<LeaseVersion> LeaseTable::List(const Range& range) const {
  std::vector<LeaseVersion> out;
  const Key first = std::max(range.after, Key{range.name_space, ""});
  for (auto it = leases_.lower_bound(first); it != leases_.end(); ++it) {
    if (!range.name_space.empty() && it->first.first != range.name_space) break;
    if (InRange(it->first, range)) out.push_back(it->second);
  }
  return out;
}

std::optional<LeaseVersion> LeaseTable::FindAt(const Key& key,
                                               std::uint64_t at) const {
  if (at < compacted_) return std::nullopt;
  LeaseVersion found = Find(key);
  for (auto it = history_.rbegin();
       it != history_.rend() && it->resource_version > at; ++it) {
    if (KeyOf(it->current->lease) == key) found = it->previous;
  }
  return found;
}

std::optional<std::vector<LeaseVersion>> LeaseTable::ListAt(
    const Range& range, std::uint64_t at) const {
  if (at < compacted_) return std::nullopt;
  if (at >= version_) return List(range);
  std::map<Key, LeaseVersion> state;
  for (const LeaseVersion& version : List(range)) {
    state[KeyOf(version->lease)] = version;
  }
  for (auto it = history_.rbegin();
       it != history_.rend() && it->resource_version > at; ++it) {
    const Key key = KeyOf(it->current->lease);
    if (!InRange(key, range)) continue;
    if (it->previous == nullptr) {
      state.erase(key);
    } else {
      state[key] = it->previous;
    }
  }
  std::vector<LeaseVersion> out;
  out.reserve(state.size());
  for (const auto& [key, version] : state) out.push_back(version);
  return out;
}

std::uint64_t LeaseTable::Rewind(const Key& key, std::size_t steps) const {
  std::uint64_t at = version_;
  for (auto it = history_.rbegin(); it != history_.rend() && steps > 0; ++it) {
    if (KeyOf(it->current->lease) != key) continue;
    at = it->resource_version - 1;
    --steps;
  }
  return std::max(at, compacted_);
}

bool LeaseTable::HasRoomFor(const Key& key, std::size_t item_bytes) const {
  const LeaseVersion old = Find(key);
  const std::size_t freed = old == nullptr ? 0 : old->item_json.size();
  return (old != nullptr || leases_.size() < limits_.leases) &&
         bytes_ - freed + item_bytes <= limits_.bytes;
}

LeaseVersion LeaseTable::Put(LeaseObject lease) {
  LeaseVersion& slot = leases_[KeyOf(lease)];
  const LeaseVersion previous = slot;
  const LeaseVersion current = Stamp(std::move(lease));
  if (previous != nullptr) bytes_ -= previous->item_json.size();
  bytes_ += current->item_json.size();
  slot = current;
  Record({previous == nullptr ? ChangeType::kAdded : ChangeType::kModified,
          version_, current, previous});
  return current;
}

LeaseVersion LeaseTable::Remove(const Key& key) {
  const auto found = leases_.find(key);
  CHECK(found != leases_.end());
  const LeaseVersion previous = found->second;
  bytes_ -= previous->item_json.size();
  leases_.erase(found);
  // The event of a deletion carries the version of the deletion.
  const LeaseVersion last = Stamp(previous->lease);
  Record({ChangeType::kDeleted, version_, last, previous});
  return last;
}

std::vector<LeaseChange> LeaseTable::ChangesSince(std::uint64_t after) const {
  CHECK(after >= compacted_);
  const auto first = std::ranges::upper_bound(history_, after, {},
                                              &LeaseChange::resource_version);
  return {first, history_.end()};
}

LeaseVersion LeaseTable::Stamp(LeaseObject lease) {
  ++version_;
  lease.metadata.resource_version = std::to_string(version_);
  auto stored = std::make_shared<StoredLease>();
  stored->item_json = EncodeLeaseItem(lease);
  stored->lease = std::move(lease);
  stored->resource_version = version_;
  return stored;
}

void LeaseTable::Record(const LeaseChange& change) {
  history_bytes_ += change.current->item_json.size();
  history_.push_back(change);
  while (history_.size() > limits_.history ||
         (history_bytes_ > limits_.history_bytes && history_.size() > 1)) {
    compacted_ = history_.front().resource_version;
    history_bytes_ -= history_.front().current->item_json.size();
    history_.pop_front();
  }
  if (listener_) listener_(change);
}

}  // namespace tenure::embedded
