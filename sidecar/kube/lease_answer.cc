#include "sidecar/kube/lease_answer.h"

#include <utility>

#include "sidecar/kube/lease_codec.h"

namespace tenure {
namespace {

using Answer = std::expected<LeaseReply, StoreError>;

std::unexpected<StoreError> NotDone(ErrorCode code, std::string message,
                                    Duration retry_after = Duration{0}) {
  return std::unexpected(StoreError{code, std::move(message), retry_after});
}

std::string Verb(RequestKind kind) {
  if (kind == RequestKind::kRead) return "get";
  return kind == RequestKind::kCreate ? "create" : "update";
}

// "renew of lease team/billing: 500, etcdserver: ..."
std::string Told(RequestKind kind, const LeaseTarget& target,
                 const HttpAnswer& answer) {
  return std::string(RequestKindName(kind)) + " of lease " + target.name_space +
         "/" + target.lease + ": " + std::to_string(answer.status) + ", " +
         StatusMessage(answer.body);
}

Answer Decoded(RequestKind kind, const LeaseTarget& target,
               const HttpAnswer& answer) {
  LeaseReply reply{answer.status == 201, DecodeLease(answer.body)};
  if (kind == RequestKind::kRead) return reply;
  const bool usual = answer.status == 200 || answer.status == 201;
  if (!usual || !reply.record.unreadable.empty()) {
    return NotDone(
        ErrorCode::kOutcomeUnknown,
        std::string(RequestKindName(kind)) + " of lease " + target.name_space +
            "/" + target.lease + ": " + std::to_string(answer.status) +
            " without a Lease that can be read: " +
            (usual ? reply.record.unreadable : StatusMessage(answer.body)));
  }
  return reply;
}

Answer Forbidden(RequestKind kind, const LeaseTarget& target,
                 const HttpAnswer& answer) {
  return NotDone(
      ErrorCode::kForbidden,
      "not allowed to " + Verb(kind) + " leases.coordination.k8s.io \"" +
          target.lease + "\" in namespace \"" + target.name_space +
          "\": " + StatusMessage(answer.body) +
          "; a Role in that namespace, bound to this service account, needs "
          "the rule {apiGroups: [coordination.k8s.io], resources: [leases], "
          "resourceNames: [" +
          target.lease + "], verbs: [get, create, update, watch]}");
}

// Every answer but a 2xx.
Answer NotApplied(RequestKind kind, const LeaseTarget& target,
                  const HttpAnswer& answer) {
  const std::string told = Told(kind, target, answer);
  switch (answer.status) {
    case 401:
      return NotDone(ErrorCode::kUnauthenticated,
                     told + "; the credentials are being read again");
    case 403:
      return Forbidden(kind, target, answer);
    case 404:
      // S5: a page of something in the server's place settles nothing.
      if (SaysNotFound(answer.body)) {
        return NotDone(ErrorCode::kNotFound, told);
      }
      return NotDone(ErrorCode::kOutcomeUnknown,
                     told +
                         "; expected the Status of an API server, is the "
                         "address of the server right?");
    case 408:  // a proxy's: it may have passed the request on
      return NotDone(ErrorCode::kOutcomeUnknown, told);
    case 409:
      return NotDone(ErrorCode::kConflict, told);
    case 422:
      // A create names no version. Asked for one, it met a Lease: another was
      // first.
      if (kind == RequestKind::kCreate &&
          told.contains("metadata.resourceVersion")) {
        return NotDone(ErrorCode::kConflict, told);
      }
      break;
    case 429:
      return NotDone(ErrorCode::kThrottled, told, answer.retry_after);
    default:
      break;
  }
  if (answer.status < 400) {
    return NotDone(ErrorCode::kRefused,
                   told +
                       "; redirects are not followed, name the API server "
                       "itself");
  }
  if (answer.status < 500) return NotDone(ErrorCode::kRefused, told);
  // A read can be asked again; a write that met a 5xx may have landed (S5).
  if (kind == RequestKind::kRead && answer.status == 503 &&
      answer.has_retry_after) {
    return NotDone(ErrorCode::kThrottled, told, answer.retry_after);
  }
  return NotDone(ErrorCode::kOutcomeUnknown, told);
}

}  // namespace

Answer LeaseAnswer(RequestKind kind, const LeaseTarget& target,
                   HttpOutcome outcome) {
  if (!outcome.has_value()) {
    const HttpFailure& failure = outcome.error();
    return NotDone(
        failure.maybe_sent ? ErrorCode::kOutcomeUnknown : ErrorCode::kNotSent,
        std::string(RequestKindName(kind)) + " of lease " + target.name_space +
            "/" + target.lease + ": " + failure.message);
  }
  const HttpAnswer& answer = *outcome;
  if (answer.status >= 200 && answer.status < 300) {
    return Decoded(kind, target, answer);
  }
  return NotApplied(kind, target, answer);
}

}  // namespace tenure
