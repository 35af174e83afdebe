#include "sidecar/cli/local_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/gate/how_to_reach.h"

namespace tenure {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::uint64_t kMaxBody = 1 << 20;
constexpr std::uint32_t kMaxHeader = 16 * 1024;
constexpr unsigned kHttp11 = 11;

// One exchange over one connection: connect, write, read, each a step of one
// chain under one deadline.
template <typename Protocol>
class Exchange {
 public:
  using Endpoint = typename Protocol::endpoint;
  using Code = beast::error_code;

  explicit Exchange(const Endpoint& endpoint)
      : endpoint_(endpoint), stream_(context_) {
    parser_.body_limit(kMaxBody);
    parser_.header_limit(kMaxHeader);
  }

  Code Run(http::request<http::string_body> request, Duration limit) {
    request_ = std::move(request);
    stream_.expires_after(limit);
    stream_.async_connect(endpoint_, [this](Code error) { Connected(error); });
    context_.run();
    return error_;
  }

  LocalAnswer Answer() {
    http::response<http::string_body>& response = parser_.get();
    return LocalAnswer{static_cast<int>(response.result_int()),
                       std::move(response.body())};
  }

 private:
  void Connected(Code error) {
    if (Failed(error)) return;
    http::async_write(stream_, request_,
                      [this](Code written, std::size_t) { Written(written); });
  }

  // The header alone first: Beast 1.74 forgets that Content-Length is above the
  // limit when it has read some of the body together with the header.
  void Written(Code error) {
    if (Failed(error)) return;
    http::async_read_header(
        stream_, buffer_, parser_,
        [this](Code read, std::size_t) { HaveHeader(read); });
  }

  void HaveHeader(Code error) {
    if (Failed(error)) return;
    http::async_read(stream_, buffer_, parser_,
                     [this](Code read, std::size_t) { Failed(read); });
  }

  bool Failed(Code error) {
    error_ = error;
    return static_cast<bool>(error);
  }

  const Endpoint endpoint_;
  asio::io_context context_{1};
  beast::basic_stream<Protocol> stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response_parser<http::string_body> parser_;
  Code error_;
};

template <typename Protocol>
Result<LocalAnswer> AskAt(const typename Protocol::endpoint& endpoint,
                          const LocalAddress& address,
                          http::request<http::string_body> request,
                          Duration limit) {
  Exchange<Protocol> exchange(endpoint);
  const beast::error_code error = exchange.Run(std::move(request), limit);
  if (error) {
    return Fail(ErrorCode::kUnavailable, "expected a sidecar to answer at " +
                                             AddressText(address) +
                                             ", found: " + error.message() +
                                             HowToReach(error, address.flag));
  }
  return exchange.Answer();
}

struct Question {
  http::verb method;
  http::field field;  // the one header that differs
  const char* value;
  std::string target;
  std::string body;
};

Result<LocalAnswer> Ask(const LocalAddress& address, const Question& question,
                        Duration limit) {
  try {
    http::request<http::string_body> request(question.method, question.target,
                                             kHttp11, question.body);
    request.set(question.field, question.value);
    request.set(http::field::host, "localhost");
    request.keep_alive(false);
    request.prepare_payload();
    if (address.socket.empty()) {
      return AskAt<asio::ip::tcp>(
          {asio::ip::address_v4::loopback(), address.port}, address,
          std::move(request), limit);
    }
    return AskAt<asio::local::stream_protocol>({address.socket}, address,
                                               std::move(request), limit);
  } catch (const std::exception& error) {
    return Fail(ErrorCode::kUnavailable, "expected an answer at " +
                                             AddressText(address) +
                                             ", found: " + error.what());
  }
}

}  // namespace

std::string AddressText(const LocalAddress& address) {
  return address.socket.empty() ? "127.0.0.1:" + std::to_string(address.port)
                                : address.socket;
}

Result<LocalAnswer> LocalGet(const LocalAddress& address,
                             const std::string& target, bool json,
                             Duration limit) {
  return Ask(address,
             {http::verb::get, http::field::accept,
              json ? "application/json" : "text/plain", target, ""},
             limit);
}

Result<LocalAnswer> LocalPost(const LocalAddress& address,
                              const std::string& target, Duration limit) {
  return Ask(address,
             {http::verb::post, http::field::accept, "text/plain", target, ""},
             limit);
}

Result<LocalAnswer> LocalSend(const LocalAddress& address,
                              const std::string& method,
                              const std::string& target,
                              const std::string& body, Duration limit) {
  return Ask(address,
             {http::string_to_verb(method), http::field::content_type,
              "application/json", target, body},
             limit);
}

}  // namespace tenure
