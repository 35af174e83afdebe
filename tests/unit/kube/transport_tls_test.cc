// Whom the transport believes to be the API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kube/transport_rig.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

void AnswerAll(Peer& peer) {
  while (!peer.ReadRequest().empty()) peer.Answer(200, kLeaseBody);
}

class TransportTlsTest : public testing::Test {
 protected:
  // The answer of a server with this certificate, of `ca_` unless said.
  RequestDone Ask(const TestCertificate& certificate,
                  const std::string& verify_name = "127.0.0.1",
                  const TestCa* issuer = nullptr) {
    const TestCa& ca = issuer != nullptr ? *issuer : ca_;
    HostileServer server({.tls = ca.Issue(certificate)}, AnswerAll);
    ApiAccess access = TlsAccess(server, ca_);
    access.verify_name = verify_name;
    TransportRig rig(access);
    RequestDone done = rig.Renew();
    requests_ = server.requests();
    return done;
  }

  void ExpectRefused(const RequestDone& done, const std::string& why) {
    EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
    EXPECT_THAT(MessageOf(done.result), HasSubstr(why));
    EXPECT_THAT(requests_, SizeIs(0)) << "something was sent";
  }

  const TestCa ca_;
  std::vector<std::string> requests_;
};

TEST_F(TransportTlsTest, BelievesASanSignedByTheGivenCa) {
  EXPECT_TRUE(Ask({.names = {"IP:127.0.0.1"}}).result.has_value());
  EXPECT_TRUE(
      Ask({.names = {"DNS:kube.test"}}, "kube.test").result.has_value());
  EXPECT_TRUE(
      Ask({.names = {"DNS:kube.test"}}, "kube.test.").result.has_value());
  EXPECT_TRUE(
      Ask({.names = {"DNS:*.kube.test"}}, "a.kube.test").result.has_value());
}

TEST_F(TransportTlsTest, RefusesAnotherCaOfTheSameName) {
  const TestCa other;
  ExpectRefused(Ask({.names = {"IP:127.0.0.1"}}, "127.0.0.1", &other),
                "certificate was refused");
}

TEST_F(TransportTlsTest, RefusesAnotherName) {
  ExpectRefused(Ask({.names = {"IP:127.0.0.2"}}), "IP address mismatch");
  ExpectRefused(Ask({.names = {"DNS:other.test"}}, "kube.test"),
                "names kube.test in its SAN");
  ExpectRefused(Ask({.names = {"DNS:k*.test"}}, "kube.test"), "mismatch");
}

TEST_F(TransportTlsTest, ANameThatWouldMatchAnythingIsNotAskedFor) {
  for (const std::string& name :
       {std::string("."), std::string(".test"), std::string("kube\0x", 6)}) {
    ExpectRefused(Ask({.names = {"DNS:evil.test"}}, name), "tls-server-name");
  }
}

TEST_F(TransportTlsTest, RefusesANameInTheSubjectAlone) {
  ExpectRefused(Ask({.common_name = "kube.test", .names = {}}, "kube.test"),
                "mismatch");
  ExpectRefused(Ask({.common_name = "127.0.0.1", .names = {}}), "mismatch");
  ExpectRefused(
      Ask({.common_name = "kube.test", .names = {"DNS:x.test"}}, "kube.test"),
      "mismatch");
}

TEST_F(TransportTlsTest, RefusesCertificatesOutOfTheirTime) {
  ExpectRefused(Ask({.names = {"IP:127.0.0.1"}, .not_after = -60}), "expired");
  ExpectRefused(Ask({.names = {"IP:127.0.0.1"}, .not_before = 600}),
                "not yet valid");
}

TEST_F(TransportTlsTest, RefusesTls11) {
  HostileServer server(
      {.tls = ca_.Issue({.names = {"IP:127.0.0.1"}}), .tls11_only = true},
      AnswerAll);
  TransportRig rig(TlsAccess(server, ca_));
  const RequestDone done = rig.Renew();
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
  EXPECT_THAT(MessageOf(done.result), HasSubstr("TLS"));
}

TEST_F(TransportTlsTest, AServerWithoutTlsIsNotSent) {
  HostileServer server(
      {}, [](Peer& peer) { peer.Send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  TransportRig rig(TlsAccess(server, ca_));
  const RequestDone done = rig.Renew();
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
  EXPECT_THAT(MessageOf(done.result), AllOf(HasSubstr("TLS handshake with"),
                                            HasSubstr("wrong version")));
}

TEST_F(TransportTlsTest, AServerThatHangsInTheHandshakeIsNotSent) {
  HostileServer server({}, [](Peer& peer) { peer.Hang(); });
  TransportRig rig(TlsAccess(server, ca_));
  const RequestDone done = rig.Renew(kBrief);
  EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
}

TEST_F(TransportTlsTest, UnverifiedOnlyIfTheKubeconfigSaysSo) {
  const TestCa other;
  HostileServer server({.tls = other.Issue({.names = {}})}, AnswerAll);
  ApiAccess access = TlsAccess(server, ca_);
  access.insecure = true;
  access.ca_pem.clear();
  TransportRig rig(access);
  EXPECT_TRUE(rig.Renew().result.has_value());
}

TEST_F(TransportTlsTest, PresentsTheClientCertificate) {
  HostileServer server({.tls = ca_.Issue({.names = {"IP:127.0.0.1"}}),
                        .client_ca_pem = ca_.pem()},
                       AnswerAll);
  ApiAccess access = TlsAccess(server, ca_);
  TransportRig without(access);
  EXPECT_FALSE(without.Renew().result.has_value());
  const TestPair client = ca_.Issue({.common_name = "me", .names = {}});
  access.client_cert_pem = client.cert_pem;
  access.client_key_pem = client.key_pem;
  TransportRig with(access);
  const RequestDone done = with.Renew();
  EXPECT_TRUE(done.result.has_value()) << MessageOf(done.result);
}

TEST_F(TransportTlsTest, MaterialThatCannotBeReadIsNotSentAndSaysWhich) {
  HostileServer server({.tls = ca_.Issue({.names = {"IP:127.0.0.1"}})},
                       AnswerAll);
  const TestPair one = ca_.Issue({.names = {}});
  const TestPair two = ca_.Issue({.names = {}});
  const auto message = [&](const std::string& ca, const std::string& cert,
                           const std::string& key) {
    ApiAccess access = TlsAccess(server, ca_);
    access.ca_pem = ca;
    access.client_cert_pem = cert;
    access.client_key_pem = key;
    TransportRig rig(access);
    const RequestDone done = rig.Renew();
    EXPECT_EQ(CodeOf(done.result), ErrorCode::kNotSent);
    return MessageOf(done.result);
  };
  EXPECT_THAT(message("", "", ""), HasSubstr("the CA data"));
  EXPECT_THAT(message("not PEM", "", ""), HasSubstr("the CA data"));
  EXPECT_THAT(message(ca_.pem(), "x", one.key_pem),
              HasSubstr("the client certificate"));
  EXPECT_THAT(message(ca_.pem(), one.cert_pem, "x"),
              HasSubstr("the client key"));
  EXPECT_THAT(message(ca_.pem(), one.cert_pem, two.key_pem),
              HasSubstr("does not belong"));
  ApiAccess nameless = TlsAccess(server, ca_);
  nameless.verify_name = "";
  TransportRig rig(nameless);
  EXPECT_THAT(MessageOf(rig.Renew().result), HasSubstr("tls-server-name"));
}

TEST_F(TransportTlsTest, ANewCaTakesEffectOnTheNextRequest) {
  HostileServer server({.tls = ca_.Issue({.names = {"IP:127.0.0.1"}})},
                       AnswerAll);
  ApiAccess access = TlsAccess(server, ca_);
  TransportRig rig(access);
  ASSERT_TRUE(rig.Renew().result.has_value());
  ASSERT_TRUE(rig.Renew().result.has_value());
  EXPECT_EQ(server.handshakes(), 1);
  const TestCa other;
  access.ca_pem = other.pem();
  ++access.tls_serial;
  rig.access.Set(access);
  EXPECT_EQ(CodeOf(rig.Renew().result), ErrorCode::kNotSent);
  access.ca_pem = other.pem() + ca_.pem();  // as during a rotation
  ++access.tls_serial;
  rig.access.Set(access);
  EXPECT_TRUE(rig.Renew().result.has_value());
}

TEST_F(TransportTlsTest, AStreamCutShortUnderTlsIsUnknown) {
  // Without close_notify an attacker may have cut it.
  HostileServer server(
      {.tls = ca_.Issue({.names = {"IP:127.0.0.1"}})}, [](Peer& peer) {
        peer.ReadRequest();
        peer.Send("HTTP/1.1 200 OK\r\n\r\n" + std::string(kLeaseBody));
      });
  TransportRig rig(TlsAccess(server, ca_));
  EXPECT_EQ(CodeOf(rig.Renew().result), ErrorCode::kOutcomeUnknown);
}

}  // namespace
}  // namespace tenure
