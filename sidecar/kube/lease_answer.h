// LeaseAnswer: what an HTTP outcome means for a Lease request (S5).
//
// Thread safety: values and pure functions.
#ifndef TENURE_KUBE_LEASE_ANSWER_H_
#define TENURE_KUBE_LEASE_ANSWER_H_

#include <expected>
#include <string>

#include "sidecar/authority/input.h"
#include "sidecar/authority/output.h"
#include "sidecar/kube/http_outcome.h"

namespace tenure {

// Who was asked for what, for messages.
struct LeaseTarget {
  std::string name_space;
  std::string lease;
};

std::expected<LeaseReply, StoreError> LeaseAnswer(RequestKind kind,
                                                  const LeaseTarget& target,
                                                  HttpOutcome outcome);

}  // namespace tenure

#endif  // TENURE_KUBE_LEASE_ANSWER_H_
