// TlsContext and TlsSession: OpenSSL as a client that trusts one CA and checks
// names by SAN only, straight on a non-blocking socket. (Asio's ssl::stream
// would add two memory BIOs and two record buffers, 70 KB a connection.)
//
// Thread safety: a context from any thread once made; a session from one.
// Invariants: TLS 1.2 or newer; no system bundle; nothing raises SIGPIPE.
#ifndef TENURE_KUBE_TLS_SESSION_H_
#define TENURE_KUBE_TLS_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/kube/api_access.h"

struct ssl_ctx_st;
struct ssl_st;

namespace tenure {

// The end of one non-blocking step on a socket.
enum class IoState { kDone, kWantRead, kWantWrite, kClosed, kFailed };
struct IoResult {
  IoState state = IoState::kDone;
  std::size_t bytes = 0;  // with kDone
};

class TlsContext {
 public:
  // Parses the CA, the client certificate and its key: once for each
  // tls_serial. Errors: kInvalidArgument.
  static Result<std::shared_ptr<const TlsContext>> Create(
      const ApiAccess& access);

  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // For a library that brings its own sessions; still owned by this.
  ssl_ctx_st* native() const { return context_; }
  // What the certificate must bear, as CertificateName made it.
  const std::string& verify_name() const { return verify_name_; }

 private:
  friend class TlsSession;
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}

  ssl_ctx_st* const context_;
  std::string verify_name_;
  bool verify_ = true;
};

// Makes `ssl` expect a certificate whose SAN names `verify_name`, and ask for
// it by SNI if it is a name. False: OpenSSL did not take it, and the session
// must not be used, for it would believe any name.
[[nodiscard]] bool ExpectServerName(const std::string& verify_name,
                                    ssl_st* ssl);

class TlsSession {
 public:
  // `fd` is a connected non-blocking socket that outlives the session.
  TlsSession(std::shared_ptr<const TlsContext> context, int fd);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  IoResult Handshake();
  IoResult Write(std::string_view data);
  IoResult Read(char* data, std::size_t size);

  // No data and no end of the stream are waiting to be read.
  bool Quiet();
  // Sends close_notify if that is possible without waiting.
  void SayGoodbye();

  // Bytes handed to the kernel so far.
  std::uint64_t bytes_out() const { return wire_.bytes_out; }
  // Why the last step ended in kFailed, in words.
  std::string failure() const { return failure_; }

  // What the BIO works on.
  struct Wire {
    int fd = -1;
    std::uint64_t bytes_out = 0;
    bool at_end = false;
  };

 private:
  IoResult Classify(int result);
  std::string Explain(int error) const;

  const std::shared_ptr<const TlsContext> context_;
  Wire wire_;
  ssl_st* ssl_ = nullptr;
  std::string failure_;
};

}  // namespace tenure

#endif  // TENURE_KUBE_TLS_SESSION_H_
