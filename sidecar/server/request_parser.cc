#include "sidecar/server/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/optional/optional.hpp>
#include <cstdint>

#include "sidecar/base/check.h"
#include "sidecar/server/limits.h"

namespace tenure {
namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;
using boost::beast::string_view;

Method MethodOf(http::verb verb) {
  if (verb == http::verb::get) return Method::kGet;
  if (verb == http::verb::head) return Method::kHead;
  if (verb == http::verb::post) return Method::kPost;
  return Method::kOther;
}

void Assign(string_view from, std::string* to) {
  to->assign(from.data(), from.size());
}

// Hands the fields that matter to an HttpRequest.
class FieldSink : public http::basic_parser<true> {
 public:
  explicit FieldSink(HttpRequest* request) : request_(request) {
    eager(true);
    header_limit(kMaxHeaderBytes);
    body_limit(kMaxBodyBytes);
  }

 private:
  using ErrorCode = boost::beast::error_code;

  void on_request_impl(http::verb method, string_view, string_view target,
                       int version, ErrorCode&) override {
    request_->method = MethodOf(method);
    request_->http11 = version == 11;
    Assign(target, &request_->target);
  }

  void on_response_impl(int, string_view, int, ErrorCode&) override {}

  void on_field_impl(http::field name, string_view, string_view value,
                     ErrorCode&) override {
    // Fields after a chunked body say nothing about where it came from.
    if (is_header_done()) return;
    if (name == http::field::host) {
      ++request_->host_fields;
      Assign(value, &request_->host);
    } else if (name == http::field::accept) {
      if (!request_->accept.empty()) request_->accept += ',';
      request_->accept.append(value.data(), value.size());
    } else if (name == http::field::origin) {
      request_->has_origin = true;
    } else if (name == http::field::expect) {
      const bool known = iequals(value, "100-continue");
      request_->expects_continue |= known;
      request_->expects_other |= !known;
    }
  }

  void on_header_impl(ErrorCode&) override {
    request_->keep_alive = keep_alive();
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&,
                         ErrorCode&) override {}

  std::size_t on_body_impl(string_view body, ErrorCode&) override {
    request_->body.append(body.data(), body.size());
    return body.size();
  }

  void on_chunk_header_impl(std::uint64_t, string_view, ErrorCode&) override {}

  std::size_t on_chunk_body_impl(std::uint64_t, string_view body,
                                 ErrorCode&) override {
    request_->body.append(body.data(), body.size());
    return body.size();
  }

  void on_finish_impl(ErrorCode&) override {}

  HttpRequest* const request_;
};

void SetRefusal(const boost::beast::error_code& error,
                RequestParser::Progress* progress) {
  progress->state = RequestParser::State::kBad;
  if (error == http::error::header_limit) {
    progress->status = 431;
    progress->message =
        "expected a header of at most 8 KiB, found a larger one";
  } else if (error == http::error::body_limit) {
    progress->status = 413;
    progress->message = "expected a body of at most 4 KiB, found a larger one";
  } else if (error == http::error::bad_version) {
    progress->status = 505;
    progress->message = "expected HTTP/1.1 or HTTP/1.0, found another version";
  } else {
    progress->status = 400;
    progress->message = "expected an HTTP/1.1 request, found something else";
  }
}

}  // namespace

class RequestParser::BeastParser {
 public:
  boost::optional<FieldSink> sink;
};

RequestParser::RequestParser() : parser_(std::make_unique<BeastParser>()) {}
RequestParser::~RequestParser() = default;

void RequestParser::Begin(HttpRequest* request) {
  request->Clear();
  parser_->sink.emplace(request);
}

RequestParser::Progress RequestParser::Put(std::string_view bytes) {
  CHECK(parser_->sink.has_value());
  FieldSink& sink = *parser_->sink;
  Progress progress;
  boost::beast::error_code error;
  progress.consumed =
      sink.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  progress.header_done = sink.is_header_done();
  if (error && error != http::error::need_more) {
    SetRefusal(error, &progress);
  } else if (sink.is_done()) {
    progress.state = State::kDone;
  }
  return progress;
}

}  // namespace tenure
