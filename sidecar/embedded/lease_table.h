// LeaseTable: the Leases of this server, one counter of resource versions and
// a bounded history of changes. No clock, no I/O.
//
// Thread safety: one thread.
// Invariants: the counter starts at 1, as an empty etcd does, and each change
// takes the next value, also a deletion. Objects are never changed in place, so
// what a reader holds stays as it was. History holds every change after
// `compacted()`, none before.
#ifndef TENURE_EMBEDDED_LEASE_TABLE_H_
#define TENURE_EMBEDDED_LEASE_TABLE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/embedded/lease_object.h"

namespace tenure::embedded {

// One version of one Lease, with its JSON (lease_json.h) made once for the
// reply, the lists and every watch.
struct StoredLease {
  LeaseObject lease;
  std::uint64_t resource_version = 0;
  std::string item_json;
};
using LeaseVersion = std::shared_ptr<const StoredLease>;

enum class ChangeType { kAdded, kModified, kDeleted };

struct LeaseChange {
  ChangeType type = ChangeType::kAdded;
  std::uint64_t resource_version = 0;
  LeaseVersion current;   // of a deletion: the last state, at this version
  LeaseVersion previous;  // null for kAdded
};

struct LeaseTableLimits {
  std::size_t leases = 10'000;
  std::size_t bytes = 64U << 20U;  // JSON of all current Leases
  std::size_t history = 4'096;     // changes kept for watches and old reads
  std::size_t history_bytes = 16U << 20U;
};

class LeaseTable {
 public:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  using Listener = std::function<void(const LeaseChange&)>;
  // What List may leave out by name alone. Empty: all.
  struct Range {
    std::string name_space;
    Key after;  // exclusive
  };

  explicit LeaseTable(const LeaseTableLimits& limits = {}) : limits_(limits) {}

  // Called within each change, after it took effect. One listener: the server.
  void SetListener(Listener listener) { listener_ = std::move(listener); }

  std::uint64_t resource_version() const { return version_; }
  // Watches and reads from before this version get 410.
  std::uint64_t compacted() const { return compacted_; }

  LeaseVersion Find(const Key& key) const;                   // null: absent
  std::vector<LeaseVersion> List(const Range& range) const;  // sorted by key

  // The same at an older version. Empty if it was compacted away.
  std::optional<LeaseVersion> FindAt(const Key& key, std::uint64_t at) const;
  std::optional<std::vector<LeaseVersion>> ListAt(const Range& range,
                                                  std::uint64_t at) const;
  // The version `steps` changes of this Lease before now, or the oldest known.
  std::uint64_t Rewind(const Key& key, std::size_t steps) const;

  // Whether a version of that many bytes of JSON fits in under this name.
  bool HasRoomFor(const Key& key, std::size_t item_bytes) const;

  // Creates or replaces; sets the resource version.
  LeaseVersion Put(LeaseObject lease);
  // REQUIRES: the Lease is there.
  LeaseVersion Remove(const Key& key);

  // Changes after `after`, oldest first. REQUIRES: after >= compacted().
  std::vector<LeaseChange> ChangesSince(std::uint64_t after) const;

 private:
  LeaseVersion Stamp(LeaseObject lease);
  void Record(const LeaseChange& change);

  LeaseTableLimits limits_;
  Listener listener_;
  std::map<Key, LeaseVersion> leases_;
  std::deque<LeaseChange> history_;
  std::uint64_t version_ = 1;
  std::uint64_t compacted_ = 1;
  std::size_t bytes_ = 0;
  std::size_t history_bytes_ = 0;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_LEASE_TABLE_H_
