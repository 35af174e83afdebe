// HttpSession: one client connection, request after request. Private to this
// folder: it includes Beast.
//
// Thread safety: the server's one thread.
// Invariants: one request at a time; headers, body and idle time are bounded
// (ServerLimits); a watch takes the connection over for good.
#ifndef TENURE_EMBEDDED_HTTP_SESSION_H_
#define TENURE_EMBEDDED_HTTP_SESSION_H_

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>

#include "sidecar/embedded/server_core.h"

namespace tenure::embedded {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(boost::asio::ip::tcp::socket socket, ServerCore& core);

  void Start() { Read(); }

 private:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Parser =
      boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Response =
      boost::beast::http::response<boost::beast::http::string_body>;

  void Read();
  void OnRead(boost::beast::error_code failure);
  void Answer();
  void StrikeBefore(const Fault& fault);
  void Apply();
  void StrikeAfter(LeaseApi::Answer answer);
  void Finish(LeaseApi::Answer answer);
  void Write(const ApiResponse& response, bool keep_alive);
  void After(Duration delay, void (HttpSession::*then)());
  void Silence();
  void Drain();
  void DrainMore();
  void Close(bool reset);

  boost::beast::tcp_stream stream_;
  ConnectionSlot slot_;
  ServerCore& core_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  boost::asio::steady_timer delay_timer_;
  Response response_;
  std::array<char, 4096> ignored_{};

  // The request being answered.
  ApiRequest request_;
  ApiRoute route_;
  std::optional<Fault> fault_;
  unsigned http_version_ = 11;
  bool keep_alive_ = true;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_HTTP_SESSION_H_
