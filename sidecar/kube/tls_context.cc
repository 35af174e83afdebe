#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "sidecar/base/check.h"
#include "sidecar/kube/certificate_name.h"
#include "sidecar/kube/tls_session.h"

namespace tenure {
namespace {

template <auto Free>
struct Releases {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Releases<BIO_free>>;
using Certificate = std::unique_ptr<X509, Releases<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Releases<EVP_PKEY_free>>;

Bio Reader(const std::string& pem) {
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CHECK(bio != nullptr);
  return bio;
}

// Without it OpenSSL would ask the terminal.
int NoPassphrase(char* /*text*/, int /*size*/, int /*writing*/,
                 void* /*data*/) {
  return -1;
}

Certificate NextCertificate(BIO* bio) {
  return Certificate(PEM_read_bio_X509(bio, nullptr, NoPassphrase, nullptr));
}

std::string Reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "no reason given" : reason;
}

Result<void> TrustOnly(const std::string& ca_pem, SSL_CTX* context) {
  // A store of its own: load_verify would add to the system's.
  X509_STORE* const store = X509_STORE_new();
  CHECK(store != nullptr);
  SSL_CTX_set_cert_store(context, store);
  // An intermediate named as CA is trusted as such, as Go does.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  const Bio bio = Reader(ca_pem);
  int found = 0;
  while (const Certificate certificate = NextCertificate(bio.get())) {
    if (X509_STORE_add_cert(store, certificate.get()) == 1) ++found;
  }
  ERR_clear_error();
  if (found > 0) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "the CA data: expected at least one PEM certificate, found none; "
              "give the cluster's CA certificate");
}

Result<void> PresentClient(const ApiAccess& access, SSL_CTX* context) {
  const Bio chain = Reader(access.client_cert_pem);
  const Certificate leaf = NextCertificate(chain.get());
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return Fail(ErrorCode::kInvalidArgument,
                "the client certificate: expected a PEM certificate, found "
                "none that can be used (" +
                    Reason() + ")");
  }
  while (const Certificate link = NextCertificate(chain.get())) {
    SSL_CTX_add1_chain_cert(context, link.get());
  }
  ERR_clear_error();
  const Bio bio = Reader(access.client_key_pem);
  const Key key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                "the client key: expected a PEM private key without a "
                "passphrase, found none (" +
                    Reason() + ")");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return Fail(ErrorCode::kInvalidArgument,
                "the client key does not belong to the client certificate (" +
                    Reason() + "); give the pair that was issued together");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::Create(
    const ApiAccess& access) {
  // Also where nothing is verified: the name goes into headers.
  auto name = CertificateName(access.verify_name, "tls-server-name");
  if (!name.has_value()) return std::unexpected(name.error());
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  CHECK(context != nullptr);
  std::shared_ptr<TlsContext> made(new TlsContext(context));
  made->verify_name_ = *std::move(name);
  made->verify_ = !access.insecure;

  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    return Fail(ErrorCode::kInvalidArgument,
                "TLS: expected OpenSSL to refuse what is older than TLS 1.2, "
                "found that it cannot (" +
                    Reason() + ")");
  }
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // Buffers only while a record is in work: memory is a goal of ours.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS |
                                SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_verify(
      context, access.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (!access.insecure) {
    if (auto trusted = TrustOnly(access.ca_pem, context); !trusted) {
      return std::unexpected(trusted.error());
    }
  }
  if (!access.client_cert_pem.empty()) {
    if (auto presented = PresentClient(access, context); !presented) {
      return std::unexpected(presented.error());
    }
  }
  return made;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

}  // namespace tenure
