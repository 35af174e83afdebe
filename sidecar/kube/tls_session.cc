#include "sidecar/kube/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include "sidecar/base/check.h"
#include "sidecar/kube/certificate_name.h"

namespace tenure {
namespace {

// OpenSSL's own socket BIO writes with write(2), which raises SIGPIPE, and
// does not count.
int WireWrite(BIO* bio, const char* data, int size) {
  auto* const wire = static_cast<TlsSession::Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const ssize_t sent =
      ::send(wire->fd, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent > 0) wire->bytes_out += static_cast<std::uint64_t>(sent);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
    BIO_set_retry_write(bio);
  }
  return static_cast<int>(sent);
}

int WireRead(BIO* bio, char* data, int size) {
  auto* const wire = static_cast<TlsSession::Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(wire->fd, data, static_cast<std::size_t>(size), 0);
  if (got == 0) wire->at_end = true;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    BIO_set_retry_read(bio);
  }
  return static_cast<int>(got);
}

long WireControl(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) {
    return static_cast<TlsSession::Wire*>(BIO_get_data(bio))->at_end ? 1 : 0;
  }
  return 0;
}

int WireCreate(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

// Made once for the process; OpenSSL keeps no copy.
const BIO_METHOD* WireMethod() {
  static const BIO_METHOD* const kMethod = [] {
    BIO_METHOD* const made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tenure wire");
    CHECK(made != nullptr);
    BIO_meth_set_write(made, WireWrite);
    BIO_meth_set_read(made, WireRead);
    BIO_meth_set_ctrl(made, WireControl);
    BIO_meth_set_create(made, WireCreate);
    return made;
  }();
  return kMethod;
}

int Capped(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

}  // namespace

bool ExpectServerName(const std::string& verify_name, ssl_st* ssl) {
  const auto name = CertificateName(verify_name, "tls-server-name");
  if (!name.has_value()) return false;
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(ssl);
  // SAN only: Go and curl ignore the common name, too.
  X509_VERIFY_PARAM_set_hostflags(parameters,
                                  X509_CHECK_FLAG_NEVER_CHECK_SUBJECT |
                                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  bool taken = false;
  if (IsIpLiteral(*name)) {
    taken = X509_VERIFY_PARAM_set1_ip_asc(parameters, name->c_str()) == 1;
  } else {
    // RFC 6066: SNI is for names only.
    taken =
        X509_VERIFY_PARAM_set1_host(parameters, name->c_str(), name->size()) ==
            1 &&
        SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(name->c_str())) == 1;
  }
  ERR_clear_error();
  return taken;
}

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, int fd)
    : context_(std::move(context)), ssl_(SSL_new(context_->context_)) {
  CHECK(ssl_ != nullptr);
  wire_.fd = fd;
  BIO* const bio = BIO_new(WireMethod());
  CHECK(bio != nullptr);
  BIO_set_data(bio, &wire_);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_connect_state(ssl_);
  if (!ExpectServerName(context_->verify_name_, ssl_)) {
    failure_ =
        "TLS: OpenSSL did not take the server's name " + context_->verify_name_;
  }
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

IoResult TlsSession::Handshake() {
  // A session that expects no name would believe every one.
  if (!failure_.empty()) return IoResult{IoState::kFailed};
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? IoResult{} : Classify(result);
}

IoResult TlsSession::Write(std::string_view data) {
  ERR_clear_error();
  const int result = SSL_write(ssl_, data.data(), Capped(data.size()));
  if (result <= 0) return Classify(result);
  return IoResult{IoState::kDone, static_cast<std::size_t>(result)};
}

IoResult TlsSession::Read(char* data, std::size_t size) {
  ERR_clear_error();
  const int result = SSL_read(ssl_, data, Capped(size));
  if (result <= 0) return Classify(result);
  return IoResult{IoState::kDone, static_cast<std::size_t>(result)};
}

bool TlsSession::Quiet() {
  ERR_clear_error();
  char byte = 0;
  // Handles session tickets and key updates on the way.
  const int result = SSL_peek(ssl_, &byte, 1);
  return result <= 0 && Classify(result).state == IoState::kWantRead;
}

void TlsSession::SayGoodbye() {
  ERR_clear_error();
  if (SSL_is_init_finished(ssl_) == 1 && failure_.empty()) SSL_shutdown(ssl_);
  ERR_clear_error();
}

IoResult TlsSession::Classify(int result) {
  const int system_error = errno;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return IoResult{IoState::kWantRead};
    case SSL_ERROR_WANT_WRITE:
      return IoResult{IoState::kWantWrite};
    case SSL_ERROR_ZERO_RETURN:
      return IoResult{IoState::kClosed};
    default:
      failure_ = Explain(system_error);
      ERR_clear_error();
      return IoResult{IoState::kFailed};
  }
}

std::string TlsSession::Explain(int error) const {
  const unsigned long code = ERR_peek_error();
  const long verdict = SSL_get_verify_result(ssl_);
  if (context_->verify_ && verdict != X509_V_OK) {
    return std::string("the server's certificate was refused: ") +
           X509_verify_cert_error_string(verdict) +
           " (expected one that names " + context_->verify_name_ +
           " in its SAN, signed by the given CA)";
  }
  if (wire_.at_end) return "the server closed the connection without a word";
  if (code != 0) {
    const char* const reason = ERR_reason_error_string(code);
    if (reason != nullptr) return std::string("TLS: ") + reason;
    return "TLS error " + std::to_string(code);
  }
  return std::system_category().message(error);
}

}  // namespace tenure
