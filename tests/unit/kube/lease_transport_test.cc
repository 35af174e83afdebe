// What is asked, and what answers mean, over plain http.
#include "sidecar/kube/lease_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sidecar/kube/lease_request.h"
#include "tests/unit/kube/transport_rig.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

void AnswerAll(Peer& peer) {
  while (!peer.ReadRequest().empty()) peer.Answer(200, kLeaseBody);
}

TEST(LeaseTransportTest, ReadsWithGetAndWritesWithPutToTheNamedLease) {
  HostileServer server({}, AnswerAll);
  TransportRig rig(PlainAccess(server));
  for (const RequestKind kind :
       {RequestKind::kRead, RequestKind::kCreate, RequestKind::kAcquire,
        RequestKind::kRenew, RequestKind::kRelease}) {
    const RequestDone done = rig.Do(kind);
    ASSERT_TRUE(done.result.has_value()) << MessageOf(done.result);
    EXPECT_EQ(done.id, rig.next_id - 1);
    EXPECT_EQ(done.result->record.uid, "u");
  }
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(5));
  const std::string target =
      "/apis/coordination.k8s.io/v1/namespaces/team/leases/billing"
      "?timeout=26250ms HTTP/1.1\r\n";
  EXPECT_THAT(requests[0], StartsWith("GET " + target));
  EXPECT_THAT(requests[0], HasSubstr("\r\nUser-Agent: tenure/test\r\n"));
  EXPECT_THAT(requests[0], HasSubstr("\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(requests[0], Not(HasSubstr("Authorization")));
  for (std::size_t i = 1; i < requests.size(); ++i) {
    EXPECT_THAT(requests[i], StartsWith("PUT " + target));
    EXPECT_THAT(requests[i],
                HasSubstr("\r\nContent-Type: application/json\r\n"));
  }
  EXPECT_THAT(requests[1], AllOf(Not(HasSubstr("\"uid\"")),
                                 Not(HasSubstr("resourceVersion"))));
  EXPECT_THAT(requests[3], AllOf(HasSubstr(R"("uid":"u")"),
                                 HasSubstr(R"("resourceVersion":"6")")));
  EXPECT_THAT(requests[4], HasSubstr(R"("holderIdentity":"")"));
  EXPECT_EQ(server.connections(), 1);
}

TEST(LeaseTransportTest, TheServersTimeoutIsALittleShorterThanOurs) {
  EXPECT_EQ(ServerTimeout(std::chrono::milliseconds{1500}), "1313ms");
  EXPECT_EQ(ServerTimeout(std::chrono::seconds{8}), "7000ms");
  EXPECT_EQ(ServerTimeout(Duration{0}), "1ms");
}

TEST(LeaseTransportTest, AFreshReadGoesBesideARequestInFlight) {
  HostileServer server({}, [](Peer& peer) {
    if (peer.ReadRequest().starts_with("PUT")) return peer.Hang();
    peer.Answer(200, kLeaseBody);
    AnswerAll(peer);
  });
  TransportRig rig(PlainAccess(server));
  Request request;
  request.kind = RequestKind::kRenew;
  request.limit = kAmple;
  request.write.uid = "u";
  bool answered = false;
  rig.store->Start(request, [&](RequestDone) { answered = true; });
  const FreshRead fresh = rig.Fresh();
  EXPECT_TRUE(fresh.result.has_value());
  EXPECT_FALSE(answered);
  EXPECT_EQ(server.connections(), 2);
}

TEST(LeaseTransportTest, ReadsAnswersInChunksAndUntilClose) {
  HostileServer server({}, [](Peer& peer) {
    const std::string body = kLeaseBody;
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const char c : body) peer.Send("1\r\n" + std::string(1, c) + "\r\n");
    peer.Send("0\r\n\r\n");
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 OK\r\n\r\n" + body);
  });
  TransportRig rig(PlainAccess(server));
  EXPECT_TRUE(rig.Renew().result.has_value());
  EXPECT_TRUE(rig.Renew().result.has_value());
}

TEST(LeaseTransportTest, CarriesRetryAfter) {
  HostileServer server({}, [](Peer& peer) {
    for (const char* const value : {"7", "999999999", "-1", "soon", ""}) {
      peer.ReadRequest();
      peer.Answer(429, "", "Retry-After: " + std::string(value) + "\r\n");
    }
  });
  TransportRig rig(PlainAccess(server));
  for (const int seconds : {7, 3600, 0, 0, 0}) {
    const RequestDone done = rig.Renew();
    ASSERT_EQ(CodeOf(done.result), ErrorCode::kThrottled);
    EXPECT_EQ(done.result.error().retry_after, std::chrono::seconds{seconds});
  }
}

TEST(LeaseTransportTest, SendsTheTokenOfTheNewestSnapshot) {
  HostileServer server({}, AnswerAll);
  ApiAccess access = PlainAccess(server);
  access.bearer_token = "first";
  TransportRig rig(access);
  rig.Renew();
  access.bearer_token = "second";
  rig.access.Set(access);
  rig.Renew();
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_THAT(requests[0], HasSubstr("\r\nAuthorization: Bearer first\r\n"));
  EXPECT_THAT(requests[1], HasSubstr("\r\nAuthorization: Bearer second\r\n"));
  EXPECT_EQ(server.connections(), 1) << "a token needs no new connection";
}

TEST(LeaseTransportTest, A401AsksForFreshCredentialsAndSaysWhyThereAreNone) {
  HostileServer server({}, [](Peer& peer) {
    while (!peer.ReadRequest().empty()) {
      peer.Answer(401, R"({"message":"Unauthorized"})");
    }
  });
  ApiAccess access = PlainAccess(server);
  access.refresh_error = "token: expected a token, found nothing";
  TransportRig rig(access);
  const RequestDone done = rig.Renew();
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kUnauthenticated);
  EXPECT_THAT(MessageOf(done.result), HasSubstr("found nothing"));
  EXPECT_EQ(rig.access.refreshes, 1);
}

TEST(LeaseTransportTest, NeverSendsATokenOverPlainHttpBeyondThisMachine) {
  HostileServer server({.address = "0.0.0.0"}, AnswerAll);
  ApiAccess access = PlainAccess(server);
  // Not a loopback address to the rule, though the kernel delivers it here.
  access.addresses = {"0.0.0.0"};
  access.bearer_token = "secret";
  TransportRig rig(access);
  const RequestDone done = rig.Renew();
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
  EXPECT_THAT(MessageOf(done.result), HasSubstr("use an https:// server"));
  EXPECT_THAT(server.requests(), SizeIs(0));
}

TEST(LeaseTransportTest, KeepsThePathOfTheServersUrl) {
  HostileServer server({}, AnswerAll);
  ApiAccess access = PlainAccess(server);
  access.path_prefix = "/k8s/clusters/c-1";
  TransportRig rig(access);
  rig.Renew();
  ASSERT_TRUE(server.WaitForRequests(1));
  EXPECT_THAT(server.requests()[0],
              StartsWith("PUT /k8s/clusters/c-1/apis/coordination"));
}

TEST(LeaseTransportTest, ReachesAnIpv6Literal) {
  if (!HostileServer::CanBind("::1")) GTEST_SKIP() << "no IPv6 here";
  const TestCa ca;
  HostileServer server(
      {.address = "::1", .tls = ca.Issue({.names = {"IP:::1"}})}, AnswerAll);
  ApiAccess access = TlsAccess(server, ca);
  access.host = "::1";
  access.verify_name = "::1";
  access.addresses = {"::1"};
  TransportRig rig(access);
  const RequestDone done = rig.Renew();
  EXPECT_TRUE(done.result.has_value()) << MessageOf(done.result);
  EXPECT_THAT(server.requests()[0], HasSubstr("\r\nHost: [::1]:"));
}

TEST(LeaseTransportTest, ANameWithoutAddressesIsNotSent) {
  ApiAccess access;
  access.tls = false;
  access.host = "kube.test";
  access.refresh_error = "the name server is dead";
  TransportRig rig(access);
  const RequestDone done = rig.Renew();
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
  EXPECT_THAT(MessageOf(done.result),
              AllOf(HasSubstr("kube.test"), HasSubstr("name server is dead")));
  EXPECT_EQ(rig.access.refreshes, 1);
}

TEST(LeaseTransportTest, DestroyedInFlightItStaysSilent) {
  HostileServer server({}, [](Peer& peer) {
    peer.ReadRequest();
    peer.Hang();
  });
  TransportRig rig(PlainAccess(server));
  bool called = false;
  Request request;
  request.kind = RequestKind::kRead;
  request.limit = kAmple;
  rig.store->Start(request, [&](RequestDone) { called = true; });
  rig.store->ReadFresh(kAmple, [&](FreshRead) { called = true; });
  while (server.requests().size() < 2) {
    rig.context.run_one_for(std::chrono::milliseconds{10});
  }
  rig.store.reset();
  rig.context.restart();
  rig.context.run();  // ends, because nothing is left to wait for
  EXPECT_FALSE(called);
}

TEST(LeaseTransportTest, DestroyedInItsOwnCallbackItIsSafe) {
  HostileServer server({}, AnswerAll);
  TransportRig rig(PlainAccess(server));
  Request request;
  request.kind = RequestKind::kRead;
  request.limit = kAmple;
  bool called = false;
  rig.store->Start(request, [&](RequestDone) {
    called = true;
    rig.store.reset();
  });
  rig.context.run();
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace tenure
