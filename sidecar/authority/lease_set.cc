#include "sidecar/authority/lease_set.h"

#include "sidecar/base/check.h"

namespace tenure {
namespace {

// In sorted order: contend for the first lease that is not held; hold nothing
// later than a lease that is missing.
void DecideAll(const std::vector<LeaseSetMember>& members,
               LeaseSetDecision* decision) {
  std::size_t missing = 0;
  while (missing < members.size() && members[missing].held) {
    decision->contend[missing++] = true;
  }
  if (missing == members.size()) return;
  bool later_engaged = false;
  for (std::size_t i = missing + 1; i < members.size(); ++i) {
    decision->give_up[i] = members[i].held;
    later_engaged = later_engaged || members[i].engaged;
  }
  decision->contend[missing] = !later_engaged;
}

// One slot: keep the first that is held, otherwise try one that is free now.
void DecideAny(const std::vector<LeaseSetMember>& members, std::size_t start,
               LeaseSetDecision* decision) {
  const std::size_t count = members.size();
  std::size_t chosen = count;
  for (std::size_t i = 0; i < count && chosen == count; ++i) {
    if (members[i].held) chosen = i;
  }
  for (std::size_t i = 0; i < count && chosen == count; ++i) {
    if (members[i].engaged) chosen = i;
  }
  for (std::size_t i = 0; i < count && chosen == count; ++i) {
    const std::size_t slot = (start + i) % count;
    if (members[slot].takeable) chosen = slot;
  }
  if (chosen == count) return;
  decision->contend[chosen] = true;
  for (std::size_t i = 0; i < count; ++i) {
    decision->give_up[i] = i != chosen && members[i].held;
  }
}

}  // namespace

LeaseSetDecision Decide(LeaseSetPolicy policy,
                        const std::vector<LeaseSetMember>& members,
                        std::size_t start) {
  CHECK(!members.empty());
  LeaseSetDecision decision;
  decision.contend.assign(members.size(), false);
  decision.give_up.assign(members.size(), false);
  if (policy == LeaseSetPolicy::kAll) {
    DecideAll(members, &decision);
  } else {
    DecideAny(members, start, &decision);
  }
  return decision;
}

}  // namespace tenure
