#include "sidecar/kube/api_connection.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <charconv>
#include <exception>
#include <system_error>
#include <utility>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::size_t kReadBytes = 4096;
// Header, body and chunk framing together: what a server can make us read in
// one go.
constexpr std::size_t kMaxAnswerBytes =
    kMaxHeaderBytes + kMaxBodyBytes + std::size_t{256} * 1024;

// Whole seconds; the date form is taken as none.
void ReadRetryAfter(std::string_view text, HttpAnswer* answer) {
  std::uint32_t seconds = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return;
  answer->retry_after = std::chrono::seconds{std::min(seconds, 3600U)};
}

}  // namespace

ApiConnection::ApiConnection(asio::io_context& context,
                             std::shared_ptr<const ApiAccess> access,
                             std::shared_ptr<const TlsContext> tls)
    : socket_(context),
      access_(std::move(access)),
      tls_context_(std::move(tls)),
      buffer_(kMaxHeaderBytes + 2 * kReadBytes) {}

ApiConnection::~ApiConnection() { Abandon(); }

std::string ApiConnection::OpenSocket(const std::string& address,
                                      Duration patience) {
  boost::system::error_code error;
  const auto literal = asio::ip::make_address(address, error);
  if (error) return "\"" + address + "\" is not an IP address";
  const std::uint16_t port =
      access_->proxy_host.empty() ? access_->port : access_->proxy_port;
  peer_ = (literal.is_v6() ? "[" + address + "]" : address) + ":" +
          std::to_string(port);
  to_loopback_ = literal.is_loopback();
  const tcp::endpoint endpoint(literal, port);
  const int fd = NewWireSocket(endpoint.protocol().family(), patience);
  if (fd < 0) {
    return "no socket: " + std::system_category().message(errno);
  }
  socket_.assign(endpoint.protocol(), fd, error);
  if (error) {
    ::close(fd);
    return "no socket: " + error.message();
  }
  socket_.native_non_blocking(true, error);
  wire_.Attach(fd);
  phase_ = Phase::kConnecting;
  socket_.async_connect(
      endpoint, [weak = weak_from_this()](boost::system::error_code failed) {
        const auto self = weak.lock();
        if (self == nullptr || self->phase_ != Phase::kConnecting) return;
        if (failed) return self->FailWith(failed.message());
        self->AfterConnect();
      });
  return "";
}

void ApiConnection::Open(const std::string& address, Duration patience,
                         Opened opened) {
  CHECK(phase_ == Phase::kNew);
  opened_ = std::move(opened);
  const std::string error = OpenSocket(address, patience);
  if (!error.empty()) FailWith(error);
}

void ApiConnection::AfterConnect() {
  if (!access_->proxy_host.empty()) return AskProxy();
  StartTls();
}

void ApiConnection::StartTls() {
  if (tls_context_ == nullptr) return BecomeIdle();
  wire_.StartTls(tls_context_);
  phase_ = Phase::kHandshaking;
  Handshake();
}

void ApiConnection::AskProxy() {
  const bool v6 = access_->host.find(':') != std::string::npos;
  const std::string target = (v6 ? "[" + access_->host + "]" : access_->host) +
                             ":" + std::to_string(access_->port);
  proxy_request_ =
      "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
  if (!access_->proxy_authorization.empty()) {
    proxy_request_ +=
        "Proxy-Authorization: " + access_->proxy_authorization + "\r\n";
  }
  proxy_request_ += "\r\n";
  unsent_ = proxy_request_;
  phase_ = Phase::kAskingProxy;
  Write();
}

void ApiConnection::Handshake() {
  const IoResult result = wire_.Handshake();
  if (result.state == IoState::kDone) return BecomeIdle();
  if (result.state == IoState::kFailed || result.state == IoState::kClosed) {
    return FailWith(wire_.failure());
  }
  AwaitState(result.state);
}

void ApiConnection::BecomeIdle() {
  phase_ = Phase::kIdle;
  if (Opened opened = std::exchange(opened_, nullptr)) opened("");
}

void ApiConnection::Send(std::string_view request, Answered answered) {
  CHECK(phase_ == Phase::kIdle);
  unsent_ = request;
  answered_ = std::move(answered);
  keep_alive_ = false;
  out_before_ = wire_.bytes_out();
  phase_ = Phase::kWriting;
  Write();
}

void ApiConnection::Write() {
  while (!unsent_.empty()) {
    const IoResult result = wire_.Write(unsent_);
    if (result.state == IoState::kDone) {
      unsent_.remove_prefix(result.bytes);
      continue;
    }
    if (result.state == IoState::kFailed || result.state == IoState::kClosed) {
      return FailWith(wire_.failure());
    }
    return AwaitState(result.state);
  }
  const bool proxy = phase_ == Phase::kAskingProxy;
  phase_ = proxy ? Phase::kAwaitingProxy : Phase::kReading;
  StartParser(/*headers_only=*/proxy);
  Await(tcp::socket::wait_read);
}

void ApiConnection::StartParser(bool headers_only) {
  buffer_.clear();
  received_ = 0;
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(kMaxBodyBytes);
  parser_->eager(!headers_only);
  parser_->skip(headers_only);
}

void ApiConnection::Read() {
  while (received_ <= kMaxAnswerBytes) {
    boost::beast::error_code error;
    try {
      const auto space = buffer_.prepare(kReadBytes);
      const IoResult result =
          wire_.Read(static_cast<char*>(space.data()), space.size());
      if (result.state == IoState::kFailed) return FailWith(wire_.failure());
      if (result.state == IoState::kClosed) {
        if (!parser_->got_some()) return FailWith("closed without an answer");
        parser_->put_eof(error);
        if (error) return FailWith("closed in the middle of the answer");
        return FinishReading();
      }
      if (result.state != IoState::kDone) return AwaitState(result.state);
      buffer_.commit(result.bytes);
      received_ += result.bytes;
      if (Parse(&error)) return FinishReading();
    } catch (const std::exception&) {
      return FailWith("the answer's framing is larger than allowed");
    }
    if (error) return FailWith("not an HTTP answer: " + error.message());
  }
  FailWith("the answer is larger than allowed");
}

// True when the answer is complete.
bool ApiConnection::Parse(boost::beast::error_code* error) {
  while (!parser_->is_done() && buffer_.size() > 0) {
    const std::size_t used = parser_->put(buffer_.data(), *error);
    buffer_.consume(used);
    if (*error == http::error::need_more) {
      *error = {};
      break;
    }
    if (*error || used == 0) break;
  }
  return !*error && parser_->is_done();
}

void ApiConnection::FinishReading() {
  if (phase_ == Phase::kAwaitingProxy) return FinishProxy();
  FinishExchange();
}

void ApiConnection::FinishProxy() {
  const unsigned status = parser_->get().result_int();
  const bool quiet = buffer_.size() == 0;
  parser_.reset();
  if (status != 200) {
    return FailWith("the proxy answered CONNECT with " +
                    std::to_string(status));
  }
  if (!quiet) return FailWith("the proxy sent data of its own");
  StartTls();
}

void ApiConnection::FinishExchange() {
  HttpAnswer answer;
  answer.status = parser_->get().result_int();
  if (answer.status < 200) {
    return FailWith("status " + std::to_string(answer.status) +
                    " was not asked for");
  }
  const auto retry_after = parser_->get().find(http::field::retry_after);
  if (retry_after != parser_->get().end()) {
    answer.has_retry_after = true;
    ReadRetryAfter({retry_after->value().data(), retry_after->value().size()},
                   &answer);
  }
  keep_alive_ = parser_->keep_alive() && buffer_.size() == 0;
  answer.body = std::move(parser_->get().body());
  parser_.reset();
  buffer_ = boost::beast::flat_buffer(buffer_.max_size());
  phase_ = Phase::kIdle;
  std::exchange(answered_, nullptr)(std::move(answer));
}

void ApiConnection::FailWith(const std::string& why) {
  HttpFailure failure{sent(), Doing() + ": " + why};
  const bool opening = opened_ != nullptr;
  const Opened opened = std::exchange(opened_, nullptr);
  const Answered answered = std::exchange(answered_, nullptr);
  Abandon();
  if (opening) return opened(failure.message);
  if (answered != nullptr) answered(std::unexpected(std::move(failure)));
}

void ApiConnection::Proceed() {
  switch (phase_) {
    case Phase::kAskingProxy:
    case Phase::kWriting:
      return Write();
    case Phase::kAwaitingProxy:
    case Phase::kReading:
      return Read();
    case Phase::kHandshaking:
      return Handshake();
    case Phase::kNew:
    case Phase::kConnecting:
    case Phase::kIdle:
    case Phase::kClosed:
      return;
  }
}

void ApiConnection::Await(tcp::socket::wait_type what) {
  socket_.async_wait(
      what, [weak = weak_from_this()](boost::system::error_code error) {
        const auto self = weak.lock();
        if (self == nullptr || self->phase_ == Phase::kClosed) return;
        if (error) return self->FailWith(error.message());
        self->Proceed();
      });
}

void ApiConnection::AwaitState(IoState state) {
  Await(state == IoState::kWantWrite ? tcp::socket::wait_write
                                     : tcp::socket::wait_read);
}

bool ApiConnection::Usable() { return phase_ == Phase::kIdle && wire_.Quiet(); }

bool ApiConnection::sent() const {
  const bool exchanging =
      phase_ == Phase::kWriting || phase_ == Phase::kReading;
  return exchanging && wire_.bytes_out() > out_before_;
}

std::string ApiConnection::Doing() const {
  switch (phase_) {
    case Phase::kNew:
    case Phase::kConnecting:
      return "connecting to " + peer_;
    case Phase::kAskingProxy:
    case Phase::kAwaitingProxy:
      return "asking the proxy " + peer_;
    case Phase::kHandshaking:
      return "TLS handshake with " + peer_;
    case Phase::kWriting:
      return "sending to " + peer_;
    case Phase::kReading:
      return "waiting for the answer of " + peer_;
    case Phase::kIdle:
    case Phase::kClosed:
      break;
  }
  return "idle on " + peer_;
}

void ApiConnection::Abandon() {
  phase_ = Phase::kClosed;
  opened_ = nullptr;
  answered_ = nullptr;
  if (!socket_.is_open()) return;
  boost::system::error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  socket_.close(ignored);
}

void ApiConnection::Retire() {
  if (phase_ == Phase::kIdle) wire_.SayGoodbye();
  phase_ = Phase::kClosed;
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace tenure
