// ApiServerModel: one Lease as kube-apiserver keeps it, without time and
// without a network: compare-and-swap by uid and resource version, creation by
// PUT, deletion, edits by people, webhooks, restore of a backup.
//
// The golden stories, the exhaustive ring and the simulation all run on it.
// `document` stands for what the core does not understand (labels and unknown
// fields): a PUT replaces it, as a PUT replaces the whole object (S11).
//
// Thread safety: one thread at a time.
// Invariants: the revision rises with every write, except by Restore.
#ifndef TENURE_TESTS_SIM_API_SERVER_MODEL_H_
#define TENURE_TESTS_SIM_API_SERVER_MODEL_H_

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <optional>
#include <string>

#include "sidecar/authority/input.h"
#include "sidecar/authority/lease_record.h"
#include "sidecar/authority/output.h"

namespace tenure::sim {

using Answer = std::expected<LeaseReply, StoreError>;

class ApiServerModel {
 public:
  struct Change {
    std::int64_t revision = 0;
    WatchEvent event;
  };
  struct Backup {
    std::int64_t revision = 0;
    std::optional<LeaseRecord> lease;
  };
  using Edit = std::function<void(LeaseRecord*)>;

  // The next write gets resource version `revision` + 1.
  explicit ApiServerModel(std::int64_t revision = 0) : revision_(revision) {}

  Answer Get() const;
  // What a PUT of our own does; `Put` of a write without uid and resource
  // version is create-if-absent.
  Answer Put(const LeaseWrite& write);

  // Acts of people and of other tools; they need no precondition. False: there
  // was no Lease.
  bool Delete();
  bool EditByHand(const Edit& edit);
  // Replaces or creates the Lease as `record` says; uid and resource version
  // are the server's.
  void CreateByHand(LeaseRecord record);
  // Other objects were written meanwhile.
  void SpendRevisions(std::int64_t count) { revision_ += count; }

  // Changes each object between its validation and its storing.
  void SetWebhook(Edit webhook) { webhook_ = std::move(webhook); }

  Backup Save() const { return Backup{revision_, lease_}; }
  // Watches must be opened again: their history is gone. `bump`: revisions
  // jump ahead, as etcd's own restore can make them; without it they run
  // again, and compare-and-swap may take an old value for a new one.
  void Restore(const Backup& backup, bool bump = false);

  const std::optional<LeaseRecord>& lease() const { return lease_; }
  std::int64_t revision() const { return revision_; }

  // The changes kept for watches, oldest first, and the oldest revision a
  // watch may still start from (410 below it).
  const std::deque<Change>& changes() const { return changes_; }
  std::int64_t compacted() const { return compacted_; }
  void Compact();
  // Restores so far: a watch opened before one never sees what came after.
  int restores() const { return restores_; }

 private:
  static constexpr std::size_t kHistory = 256;

  void Store(LeaseRecord record, bool created);
  void Remember(WatchEvent event);

  std::int64_t revision_;
  std::int64_t uids_ = 0;
  std::int64_t compacted_ = 0;
  int restores_ = 0;
  std::optional<LeaseRecord> lease_;
  std::deque<Change> changes_;
  Edit webhook_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_API_SERVER_MODEL_H_
