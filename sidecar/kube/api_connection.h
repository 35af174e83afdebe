// ApiConnection: one TCP connection to the API server, with TLS and through a
// CONNECT proxy where asked for, and one HTTP/1.1 exchange at a time on it.
// Private to sidecar/kube, because it includes Asio and Beast.
//
// It waits for readiness and does the reading and writing itself, so that the
// byte after which a request may have been applied is known exactly (S5), and
// so that an idle connection costs no buffers. It has no deadline: whoever
// owns it gives it up.
//
// Thread safety: the loop thread only.
// Invariants: after Abandon or destruction no callback comes, and nothing that
// was not yet on the wire is sent (linger 0). The socket is not inherited by
// child processes, which would keep it open past our reset.
#ifndef TENURE_KUBE_API_CONNECTION_H_
#define TENURE_KUBE_API_CONNECTION_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sidecar/kube/api_access.h"
#include "sidecar/kube/http_outcome.h"
#include "sidecar/kube/wire.h"

namespace tenure {

inline constexpr std::uint32_t kMaxHeaderBytes = 64U * 1024U;
inline constexpr std::uint64_t kMaxBodyBytes = std::uint64_t{1} << 20;

class ApiConnection : public std::enable_shared_from_this<ApiConnection> {
 public:
  // Empty: open. Else why not, in one line.
  using Opened = std::function<void(const std::string& error)>;
  using Answered = std::function<void(HttpOutcome)>;

  // `tls` is null for plain http.
  ApiConnection(boost::asio::io_context& context,
                std::shared_ptr<const ApiAccess> access,
                std::shared_ptr<const TlsContext> tls);
  ~ApiConnection();

  // Dials `address`, a literal, once. `patience` bounds how long sent bytes may
  // stay unacknowledged. `opened` may be called from inside.
  void Open(const std::string& address, Duration patience, Opened opened);

  // Sends a whole request, which must stay where it is until the answer or
  // Abandon. `answered` may be called from inside.
  // REQUIRES: open, and no other request on it.
  void Send(std::string_view request, Answered answered);

  // The server has neither closed nor sent anything unasked.
  bool Usable();
  // The answer allowed another request after it.
  bool keep_alive() const { return keep_alive_; }
  // Whether bytes of the present request went to the kernel.
  bool sent() const;
  bool to_loopback() const { return to_loopback_; }
  const ApiAccess& access() const { return *access_; }
  // What it is busy with, for messages: "connecting to 10.0.0.1:443".
  std::string Doing() const;

  // Resets: what was not yet sent never will be.
  void Abandon();
  // Closes in good order. REQUIRES: no request on it.
  void Retire();

 private:
  enum class Phase {
    kNew,
    kConnecting,
    kAskingProxy,
    kAwaitingProxy,
    kHandshaking,
    kIdle,
    kWriting,
    kReading,
    kClosed
  };
  using Parser =
      boost::beast::http::response_parser<boost::beast::http::string_body>;

  std::string OpenSocket(const std::string& address, Duration patience);
  void Proceed();
  void AfterConnect();
  void StartTls();
  void AskProxy();
  void Write();
  void Read();
  void Handshake();
  bool Parse(boost::beast::error_code* error);
  void FinishReading();
  void FinishProxy();
  void FinishExchange();
  void StartParser(bool headers_only);
  void BecomeIdle();
  void FailWith(const std::string& why);
  void Await(boost::asio::ip::tcp::socket::wait_type what);
  void AwaitState(IoState state);

  boost::asio::ip::tcp::socket socket_;
  const std::shared_ptr<const ApiAccess> access_;
  const std::shared_ptr<const TlsContext> tls_context_;
  Wire wire_;
  Phase phase_ = Phase::kNew;
  std::string peer_;  // "10.0.0.1:443", for messages
  bool to_loopback_ = false;
  bool keep_alive_ = false;
  std::uint64_t out_before_ = 0;  // bytes_out() when the request began
  std::string proxy_request_;
  std::string_view unsent_;   // of the present request
  std::size_t received_ = 0;  // of the present answer, framing included
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Opened opened_;
  Answered answered_;
};

}  // namespace tenure

#endif  // TENURE_KUBE_API_CONNECTION_H_
