#include "tests/unit/kube/transport_rig.h"

#include <optional>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

// Twice what any exchange may take: it must end by itself.
constexpr std::chrono::seconds kRunBound = 2 * kAmple;

template <typename T>
T RunUntil(boost::asio::io_context& context, const std::optional<T>& done) {
  context.restart();
  while (!done.has_value() && context.run_one_for(kRunBound) > 0) {
  }
  CHECK(done.has_value());
  return *done;
}

}  // namespace

ApiAccess PlainAccess(const HostileServer& server) {
  ApiAccess access;
  access.tls = false;
  access.host = "127.0.0.1";
  access.addresses = {"127.0.0.1"};
  access.port = server.port();
  return access;
}

ApiAccess TlsAccess(const HostileServer& server, const TestCa& ca) {
  ApiAccess access = PlainAccess(server);
  access.tls = true;
  access.verify_name = "127.0.0.1";
  access.ca_pem = ca.pem();
  return access;
}

TransportRig::TransportRig(ApiAccess first)
    : access(std::move(first)),
      store(NewLeaseTransport(context, &access, "team", "billing",
                              "tenure/test")) {}

RequestDone TransportRig::Ask(const Request& request) {
  std::optional<RequestDone> done;
  bool starting = true;
  store->Start(request, [&](RequestDone end) {
    CHECK(!starting);
    CHECK(!done.has_value());
    done = std::move(end);
  });
  starting = false;
  return RunUntil(context, done);
}

RequestDone TransportRig::Do(RequestKind kind, Duration limit) {
  Request request;
  request.id = next_id++;
  request.kind = kind;
  request.limit = limit;
  if (kind != RequestKind::kRead && kind != RequestKind::kCreate) {
    request.write.uid = "u";
    request.write.resource_version = "6";
    request.write.holder = kind == RequestKind::kRelease ? "" : "me";
  }
  request.write.duration_seconds = kind == RequestKind::kRelease ? 1 : 15;
  return Ask(request);
}

RequestDone TransportRig::Write(std::size_t bytes, Duration limit) {
  Request request;
  request.id = next_id++;
  request.kind = RequestKind::kRenew;
  request.limit = limit;
  request.write.uid = "u";
  request.write.resource_version = "6";
  request.write.holder = "me";
  request.write.document = R"({"metadata":{"annotations":{"x":")" +
                           std::string(bytes, 'x') + "\"}}}";
  return Ask(request);
}

FreshRead TransportRig::Fresh(Duration limit) {
  std::optional<FreshRead> done;
  store->ReadFresh(limit, [&](FreshRead end) {
    CHECK(!done.has_value());
    done = std::move(end);
  });
  return RunUntil(context, done);
}

ErrorCode CodeOf(const std::expected<LeaseReply, StoreError>& result) {
  return result.has_value() ? ErrorCode::kInternal : result.error().code;
}

std::string MessageOf(const std::expected<LeaseReply, StoreError>& result) {
  return result.has_value() ? "(a Lease)" : result.error().message;
}

}  // namespace tenure
