// TransportRig: a LeaseTransport on an io_context of its own, asked and waited
// for.
#ifndef TENURE_TESTS_UNIT_KUBE_TRANSPORT_RIG_H_
#define TENURE_TESTS_UNIT_KUBE_TRANSPORT_RIG_H_

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>

#include "sidecar/kube/api_access.h"
#include "sidecar/kube/lease_transport.h"
#include "tests/unit/kube/hostile_server.h"

namespace tenure {

// An access whose snapshot the test changes.
class ChangingAccess : public AccessSource {
 public:
  explicit ChangingAccess(ApiAccess access) { Set(std::move(access)); }

  void Set(ApiAccess access) {
    const std::lock_guard lock(mutex_);
    current_ = std::make_shared<const ApiAccess>(std::move(access));
  }
  std::shared_ptr<const ApiAccess> Current() const override {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  void Refresh() override { ++refreshes; }

  int refreshes = 0;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ApiAccess> current_;
};

// Long enough never to decide a test that is answered, on any machine.
inline constexpr std::chrono::seconds kAmple{30};
// For what ends by the limit alone, whatever its length.
inline constexpr std::chrono::milliseconds kBrief{300};

inline constexpr char kLeaseBody[] =
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
    R"("metadata":{"name":"billing","namespace":"team","uid":"u",)"
    R"("resourceVersion":"7"},"spec":{"holderIdentity":"me"}})";

ApiAccess PlainAccess(const HostileServer& server);
ApiAccess TlsAccess(const HostileServer& server, const TestCa& ca);

class TransportRig {
 public:
  explicit TransportRig(ApiAccess first);

  RequestDone Do(RequestKind kind, Duration limit = kAmple);
  // With a Lease of about this many bytes to write.
  RequestDone Write(std::size_t bytes, Duration limit);
  RequestDone Renew(Duration limit = kAmple) {
    return Do(RequestKind::kRenew, limit);
  }
  FreshRead Fresh(Duration limit = kAmple);

  boost::asio::io_context context;
  ChangingAccess access;
  std::unique_ptr<LeaseStore> store;
  std::uint64_t next_id = 1;

 private:
  RequestDone Ask(const Request& request);
};

// kInternal for an answer that is no error.
ErrorCode CodeOf(const std::expected<LeaseReply, StoreError>& result);
std::string MessageOf(const std::expected<LeaseReply, StoreError>& result);

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_KUBE_TRANSPORT_RIG_H_
