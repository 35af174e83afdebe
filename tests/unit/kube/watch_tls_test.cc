// Whom a watch talks to: the server whose certificate names it, and nobody
// else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <string>

#include "tests/unit/kube/test_pki.h"
#include "tests/unit/kube/watch_rig.h"
#include "tests/unit/kube/watch_server.h"

namespace tenure {
namespace {

using Kind = WatchEvent::Kind;
using ::testing::HasSubstr;

void Stream(Peer& peer) {
  peer.SayStreamHead();
  peer.SayChunk(EventLine("MODIFIED", 99));
  peer.WaitForClose();
}

class WatchTlsTest : public testing::Test {
 protected:
  ApiAccess Access(std::uint16_t port, const std::string& verify_name) {
    ApiAccess access = PlainAccess(port);
    access.tls = true;
    access.verify_name = verify_name;
    access.ca_pem = ca_.pem();
    return access;
  }

  // What the first event says when the server's certificate has `names`.
  WatchEvent FirstEvent(const TestCertificate& certificate,
                        const std::string& verify_name) {
    const ServingContext context = ServingAs(ca_.Issue(certificate));
    WatchServer server(Stream, context.get());
    WatchRig rig(Access(server.port(), verify_name));
    rig.Start();
    EXPECT_TRUE(rig.UntilEvents(1));
    return rig.events().empty() ? WatchEvent{} : rig.events()[0];
  }

  const TestCa ca_;
};

TEST_F(WatchTlsTest, AnAddressInTheSanIsTrusted) {
  EXPECT_EQ(FirstEvent({.names = {"IP:127.0.0.1"}}, "127.0.0.1").kind,
            Kind::kOpened);
}

TEST_F(WatchTlsTest, ANameIsVerifiedWhileALiteralIsDialled) {
  const ServingContext context =
      ServingAs(ca_.Issue({.names = {"DNS:kube.test"}}));
  WatchServer server(Stream, context.get());
  WatchRig rig(Access(server.port(), "kube.test"));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kChanged));
  EXPECT_THAT(server.heads()[0], HasSubstr("Host:kube.test\r\n"));
}

TEST_F(WatchTlsTest, AnotherNameIsRefused) {
  const WatchEvent event =
      FirstEvent({.names = {"DNS:evil.test"}}, "kube.test");
  EXPECT_EQ(event.kind, Kind::kClosed);
  EXPECT_THAT(event.message, HasSubstr("certificate verify failed"));
}

TEST_F(WatchTlsTest, ANameThatWouldMatchAnythingIsNotAskedFor) {
  for (const std::string& name :
       {std::string("."), std::string(".test"), std::string("kube\0x", 6)}) {
    const WatchEvent event = FirstEvent({.names = {"DNS:evil.test"}}, name);
    EXPECT_EQ(event.kind, Kind::kClosed);
    EXPECT_THAT(event.message, HasSubstr("tls-server-name"));
  }
}

TEST_F(WatchTlsTest, TheCommonNameDoesNotCount) {
  EXPECT_EQ(FirstEvent({.common_name = "kube.test"}, "kube.test").kind,
            Kind::kClosed);
  EXPECT_EQ(FirstEvent({.common_name = "127.0.0.1"}, "127.0.0.1").kind,
            Kind::kClosed);
}

TEST_F(WatchTlsTest, AnotherCaIsRefused) {
  const TestCa other("other CA");
  const ServingContext context =
      ServingAs(other.Issue({.names = {"IP:127.0.0.1"}}));
  WatchServer server(Stream, context.get());
  WatchRig rig(Access(server.port(), "127.0.0.1"));
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  EXPECT_EQ(rig.count(Kind::kOpened), 0);
  EXPECT_TRUE(server.heads().empty() || server.heads()[0].empty());
}

TEST_F(WatchTlsTest, AnExpiredCertificateIsRefused) {
  EXPECT_EQ(
      FirstEvent(
          {.names = {"IP:127.0.0.1"}, .not_before = -7200, .not_after = -3600},
          "127.0.0.1")
          .kind,
      Kind::kClosed);
}

TEST_F(WatchTlsTest, OnlyInsecureAccessSkipsTheCheck) {
  const ServingContext context =
      ServingAs(TestCa("other CA").Issue({.names = {"DNS:evil.test"}}));
  WatchServer server(Stream, context.get());
  ApiAccess access = Access(server.port(), "kube.test");
  access.ca_pem = "";
  access.insecure = true;
  WatchRig rig(access);
  rig.Start();
  EXPECT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST_F(WatchTlsTest, BadMaterialIsSaidAndTriedAgainWhenItIsMended) {
  const ServingContext context =
      ServingAs(ca_.Issue({.names = {"IP:127.0.0.1"}}));
  WatchServer server(Stream, context.get());
  ApiAccess access = Access(server.port(), "127.0.0.1");
  access.ca_pem = "nothing";
  WatchRig rig(access);
  rig.Start();
  ASSERT_TRUE(rig.UntilKind(Kind::kClosed));
  EXPECT_THAT(rig.events()[0].message, HasSubstr("CA"));
  rig.access().Set(Access(server.port(), "127.0.0.1"));
  EXPECT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST_F(WatchTlsTest, AClientCertificateIsPresented) {
  const ServingContext context =
      ServingAs(ca_.Issue({.names = {"IP:127.0.0.1"}}));
  SSL_CTX_set_verify(context.get(),
                     SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     [](int, X509_STORE_CTX*) { return 1; });
  WatchServer server(Stream, context.get());
  ApiAccess access = Access(server.port(), "127.0.0.1");
  const TestPair client = ca_.Issue({.common_name = "sidecar"});
  access.client_cert_pem = client.cert_pem;
  access.client_key_pem = client.key_pem;
  WatchRig rig(access);
  rig.Start();
  EXPECT_TRUE(rig.UntilKind(Kind::kChanged));
}

TEST_F(WatchTlsTest, Tls11IsRefused) {
  const ServingContext context =
      ServingAs(ca_.Issue({.names = {"IP:127.0.0.1"}}));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
  SSL_CTX_set_cipher_list(context.get(), "ALL:@SECLEVEL=0");
  WatchServer server(Stream, context.get());
  WatchRig rig(Access(server.port(), "127.0.0.1"));
  rig.Start();
  EXPECT_TRUE(rig.UntilKind(Kind::kClosed));
}

}  // namespace
}  // namespace tenure
