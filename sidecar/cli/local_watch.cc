#include "sidecar/cli/local_watch.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/event_lines.h"
#include "sidecar/gate/how_to_reach.h"

namespace tenure {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

using Code = beast::error_code;
using OnEvent = std::function<bool(const std::string&)>;

constexpr std::uint32_t kMaxHeader = 16 * 1024;
constexpr std::uint64_t kMaxRefusal = 64 * 1024;
constexpr unsigned kHttp11 = 11;

std::unexpected<Error> Ended(const LocalAddress& address,
                             const std::string& why, const Code& error = {}) {
  return Fail(ErrorCode::kUnavailable,
              "expected a sidecar to answer at " + AddressText(address) +
                  ", found: " + why + HowToReach(error, address.flag));
}

std::unexpected<Error> Refused(int status, const std::string& body) {
  return Fail(
      status >= 500 ? ErrorCode::kThrottled : ErrorCode::kInvalidArgument,
      body.substr(0, body.find('\n')));
}

// Connect, write, read the head, then events without end: each a step of one
// chain under one deadline.
template <typename Protocol>
class Stream {
 public:
  using Endpoint = typename Protocol::endpoint;

  Stream(const Endpoint& endpoint, const LocalAddress& address,
         const OnEvent& on_event, const WatchTick& tick)
      : endpoint_(endpoint),
        address_(address),
        on_event_(on_event),
        tick_(tick),
        timer_(context_),
        stream_(context_) {
    parser_.header_limit(kMaxHeader);
    parser_.body_limit(kMaxRefusal);
  }

  Result<void> Run(http::request<http::empty_body> request, Duration limit) {
    request_ = std::move(request);
    stream_.expires_after(limit);
    stream_.async_connect(endpoint_, [this](Code error) { Connected(error); });
    ArmTick();
    context_.run();
    return result_;
  }

 private:
  void ArmTick() {
    if (tick_.every == Duration{0}) return;
    timer_.expires_after(tick_.every);
    timer_.async_wait([this](const Code& error) {
      if (error || over_) return;
      tick_.run();
      ArmTick();
    });
  }

  // Nothing more is to come.
  void End() {
    over_ = true;
    timer_.cancel();
  }

  void Connected(Code error) {
    if (Failed(error)) return;
    http::async_write(stream_, request_,
                      [this](Code written, std::size_t) { Written(written); });
  }

  void Written(Code error) {
    if (Failed(error)) return;
    http::async_read_header(stream_, buffer_, parser_,
                            [this](Code read, std::size_t) { HaveHead(read); });
  }

  void HaveHead(Code error) {
    if (Failed(error)) return;
    if (parser_.get().result() != http::status::ok) {
      http::async_read(stream_, buffer_, parser_,
                       [this](Code read, std::size_t) { HaveRefusal(read); });
      return;
    }
    const auto rest = buffer_.data();
    if (Take({static_cast<const char*>(rest.data()), rest.size()})) ReadOn();
  }

  void HaveRefusal(Code error) {
    if (Failed(error)) return;
    result_ = Refused(static_cast<int>(parser_.get().result_int()),
                      parser_.get().body());
    End();
  }

  void ReadOn() {
    stream_.async_read_some(asio::buffer(piece_),
                            [this](Code error, std::size_t size) {
                              if (Failed(error)) return;
                              if (Take({piece_.data(), size})) ReadOn();
                            });
  }

  // False: no more is wanted.
  bool Take(std::string_view bytes) {
    if (!lines_.Add(bytes)) {
      result_ = Ended(address_, "an event above 1 MiB");
      End();
      return false;
    }
    while (const std::optional<std::string> document = lines_.Next()) {
      if (on_event_(*document)) continue;
      End();
      return false;
    }
    return true;
  }

  bool Failed(Code error) {
    if (!error) return false;
    End();
    if (error == beast::error::timeout) {
      result_ = Fail(ErrorCode::kDeadlineExceeded, "the time is over");
    } else {
      result_ = Ended(address_, error.message(), error);
    }
    return true;
  }

  const Endpoint endpoint_;
  const LocalAddress& address_;
  const OnEvent& on_event_;
  const WatchTick& tick_;
  asio::io_context context_{1};
  asio::steady_timer timer_;
  beast::basic_stream<Protocol> stream_;
  beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  http::response_parser<http::string_body> parser_;
  std::array<char, 8192> piece_{};
  EventLines lines_;
  Result<void> result_;
  bool over_ = false;
};

}  // namespace

Result<void> LocalWatch(const LocalAddress& address, const std::string& target,
                        Duration limit, const OnEvent& on_event,
                        const WatchTick& tick) {
  try {
    http::request<http::empty_body> request(http::verb::get, target, kHttp11);
    request.set(http::field::host, "localhost");
    request.set(http::field::accept, "text/event-stream");
    if (address.socket.empty()) {
      Stream<asio::ip::tcp> stream(
          {asio::ip::address_v4::loopback(), address.port}, address, on_event,
          tick);
      return stream.Run(std::move(request), limit);
    }
    Stream<asio::local::stream_protocol> stream({address.socket}, address,
                                                on_event, tick);
    return stream.Run(std::move(request), limit);
  } catch (const std::exception& error) {
    return Ended(address, error.what());
  }
}

}  // namespace tenure
