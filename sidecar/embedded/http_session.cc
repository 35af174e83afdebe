#include "sidecar/embedded/http_session.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/fault_plan.h"
#include "sidecar/embedded/lease_api.h"
#include "sidecar/embedded/server_core.h"
#include "sidecar/embedded/watch_feed.h"
#include "sidecar/embedded/watch_session.h"

namespace tenure::embedded {
namespace {

namespace http = boost::beast::http;
namespace net = boost::asio;
using boost::beast::error_code;
using net::ip::tcp;

// A client that still sends must be read for a moment, or the reset that
// follows an early close would take our answer away from it.
constexpr std::chrono::seconds kDrainTime{2};

// Of all Warning headers of one answer together, as in kube-apiserver.
constexpr std::size_t kMaxWarningBytes = 4096;

std::string Header(const http::request<http::string_body>& request,
                   http::field field) {
  const auto value = request[field];
  return std::string(value.data(), value.size());
}

ApiResponse PlainText(int code, std::string text) {
  ApiResponse response;
  response.code = code;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  return response;
}

// This server trusts whoever reaches it, so a web page must not: neither by a
// foreign name that resolves to loopback nor from a browser at all.
bool FromBrowserOrForeignName(const http::request<http::string_body>& request) {
  if (request.count(http::field::origin) != 0) return true;
  std::string host = Header(request, http::field::host);
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  if (colon != std::string::npos &&
      (bracket == std::string::npos || colon > bracket)) {
    host.resize(colon);
  }
  return !host.empty() && host != "127.0.0.1" && host != "localhost" &&
         host != "[::1]";
}

// A Warning header cannot carry every character of a field's name.
std::string WarningHeader(const std::string& text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out + "\"";
}

}  // namespace

HttpSession::HttpSession(tcp::socket socket, ServerCore& core)
    : stream_(std::move(socket)),
      slot_(core),
      core_(core),
      delay_timer_(stream_.get_executor()) {}

void HttpSession::Read() {
  parser_.emplace();
  parser_->header_limit(core_.limits().header_bytes);
  parser_->body_limit(core_.limits().body_bytes);
  stream_.expires_after(core_.limits().idle);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](error_code failure, auto) {
                     self->OnRead(failure);
                   });
}

void HttpSession::OnRead(error_code failure) {
  if (!failure) return Answer();
  if (failure == http::error::body_limit) {
    return Write(ToResponse(TooLarge(core_.limits().body_bytes)), false);
  }
  if (failure == http::error::header_limit) {
    return Write(PlainText(431, "431 Request Header Fields Too Large\n"),
                 false);
  }
  const bool malformed =
      failure.category() == http::make_error_code(http::error()).category() &&
      failure != http::error::end_of_stream &&
      failure != http::error::partial_message;
  if (malformed) return Write(PlainText(400, "400 Bad Request\n"), false);
  Close(false);
}

void HttpSession::Answer() {
  Request message = parser_->release();
  keep_alive_ = message.keep_alive();
  http_version_ = message.version();
  if (FromBrowserOrForeignName(message)) {
    return Write(
        PlainText(403,
                  "403 Forbidden: expected Host 127.0.0.1, [::1] or localhost "
                  "and no Origin; this server is for programs of this machine, "
                  "not for browsers\n"),
        false);
  }
  request_ = ApiRequest{
      std::string(message.method_string()), std::string(message.target()),
      Header(message, http::field::accept),
      Header(message, http::field::content_type), std::move(message.body())};
  auto route = ParseRoute(request_.method, request_.target);
  if (!route) return Write(PlainText(400, "400 Bad Request\n"), false);
  route_ = std::move(*route);
  stream_.expires_never();
  fault_ = core_.TakeFault(request_, route_);
  if (fault_ && !fault_->applied) return StrikeBefore(*fault_);
  Apply();
}

void HttpSession::StrikeBefore(const Fault& fault) {
  switch (fault.action) {
    case FaultAction::kDelay:
      return After(fault.delay, &HttpSession::Apply);
    case FaultAction::kFail:
      return Write(FaultResponse(fault, route_.name), keep_alive_);
    case FaultAction::kClose:
      return Close(fault.reset);
    case FaultAction::kSilence:
      return Silence();
    case FaultAction::kStale:
    case FaultAction::kFreezeWatch:
      return Apply();
  }
}

void HttpSession::Apply() {
  LeaseApi::Answer answer = core_.Handle(request_, route_, fault_);
  if (fault_ && fault_->applied) return StrikeAfter(std::move(answer));
  Finish(std::move(answer));
}

void HttpSession::StrikeAfter(LeaseApi::Answer answer) {
  switch (fault_->action) {
    case FaultAction::kDelay:
      delay_timer_.expires_after(fault_->delay);
      delay_timer_.async_wait([self = shared_from_this(),
                               late = std::move(answer)](error_code) mutable {
        self->Finish(std::move(late));
      });
      return;
    case FaultAction::kFail:
      return Write(FaultResponse(*fault_, route_.name), keep_alive_);
    case FaultAction::kClose:
      return Close(fault_->reset);
    case FaultAction::kSilence:
      return Silence();
    case FaultAction::kStale:
    case FaultAction::kFreezeWatch:
      return Finish(std::move(answer));
  }
}

void HttpSession::Finish(LeaseApi::Answer answer) {
  if (auto* response = std::get_if<ApiResponse>(&answer)) {
    return Write(*response, keep_alive_);
  }
  std::make_shared<WatchSession>(std::move(stream_), std::move(slot_),
                                 std::move(std::get<WatchFeed>(answer)),
                                 http_version_ >= 11)
      ->Start();
}

void HttpSession::Write(const ApiResponse& response, bool keep_alive) {
  response_ = {};
  response_.version(http_version_);
  response_.result(static_cast<unsigned>(response.code));
  response_.set(http::field::content_type, response.content_type);
  response_.set(http::field::cache_control, "no-cache, private");
  std::size_t warned = 0;
  for (const std::string& warning : response.warnings) {
    const std::string header = WarningHeader(warning);
    warned += header.size();
    if (warned > kMaxWarningBytes) break;
    response_.insert(http::field::warning, header);
  }
  if (response.retry_after_seconds) {
    response_.set(http::field::retry_after,
                  std::to_string(*response.retry_after_seconds));
  }
  if (request_.method != "HEAD") response_.body() = response.body;
  response_.keep_alive(keep_alive);
  response_.prepare_payload();
  stream_.expires_after(core_.limits().idle);
  http::async_write(
      stream_, response_,
      [self = shared_from_this(), keep_alive](error_code failure, auto) {
        if (failure) return self->Close(false);
        if (keep_alive) return self->Read();
        self->Drain();
      });
}

void HttpSession::Drain() {
  error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kDrainTime);
  DrainMore();
}

void HttpSession::DrainMore() {
  stream_.async_read_some(net::buffer(ignored_), [self = shared_from_this()](
                                                     error_code failure, auto) {
    if (failure) return self->Close(false);
    self->DrainMore();
  });
}

void HttpSession::After(Duration delay, void (HttpSession::*then)()) {
  delay_timer_.expires_after(delay);
  delay_timer_.async_wait(
      [self = shared_from_this(), then](error_code) { ((*self).*then)(); });
}

void HttpSession::Silence() {
  stream_.expires_never();
  DrainMore();
}

void HttpSession::Close(bool reset) {
  error_code ignored;
  if (reset) {
    stream_.socket().set_option(net::socket_base::linger(true, 0), ignored);
  } else {
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  }
  stream_.socket().close(ignored);
}

}  // namespace tenure::embedded
