// Sight: everything an answer is computed from: what the board held when the
// reply was due, and the clocks at that moment (S1).
//
// Thread safety: values; points into what the caller keeps alive.
#ifndef TENURE_SERVER_SIGHT_H_
#define TENURE_SERVER_SIGHT_H_

#include <span>
#include <string>
#include <string_view>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/base/instant.h"
#include "sidecar/server/local_server.h"

namespace tenure {

struct LeaseSight {
  std::string_view name;
  const AuthoritySnapshot* snapshot = nullptr;  // never null in a Sight
};

struct Sight {
  std::string_view name_space;
  std::span<const LeaseSight> leases;  // the ones the request is about
  Moment now;
  Instant last_beat;
  // For readiness alone: which of our sockets is not at its path any more.
  std::string displaced{};  // NOLINT(readability-redundant-member-init)
  ReadinessPolicy readiness = ReadinessPolicy::kCertain;
  LeaseSetPolicy lease_set = LeaseSetPolicy::kAll;
};

}  // namespace tenure

#endif  // TENURE_SERVER_SIGHT_H_
