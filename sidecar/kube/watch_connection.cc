#include "sidecar/kube/watch_connection.h"

#include <utility>  // before Asio's coroutine header, which forgets it

// cpprestsdk's macro U breaks others.
#define _TURN_OFF_PLATFORM_STRING
#include <cpprest/http_client.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <mutex>
#include <stdexcept>

#include "sidecar/kube/tls_session.h"
#include "sidecar/kube/watch_pool.h"
#include "sidecar/kube/watch_sink.h"

namespace tenure {
namespace {

using boost::asio::ip::tcp;
using web::http::client::http_client;
using web::http::client::http_client_config;

// Of an answer that is not a watch: enough for its Status message.
constexpr std::size_t kMaxRefusal = 16 << 10;
// What may come before the headers have been looked at.
constexpr std::size_t kMaxHeld = 2 << 20;
// A dead peer is noticed after kIdle + kProbes * kInterval of silence.
constexpr int kIdleSeconds = 5;
constexpr int kIntervalSeconds = 3;
constexpr int kProbes = 3;
constexpr unsigned kUserTimeoutMs = 14'000;
constexpr int kMaxRetryAfterSeconds = 60;

bool IsIpv6(const std::string& literal) {
  return literal.find(':') != std::string::npos;
}

void SetOption(int fd, int level, int name, const void* value, socklen_t size) {
  // Best effort: without it a dead peer is only noticed later.
  static_cast<void>(::setsockopt(fd, level, name, value, size));
}

// cpprestsdk calls this before it connects and keeps a socket that is open.
void PrepareSocket(bool ipv6, tcp::socket& socket) {
  boost::system::error_code error;
  socket.open(ipv6 ? tcp::v6() : tcp::v4(), error);
  if (error) throw std::runtime_error("no socket: " + error.message());
  const int fd = socket.native_handle();
  const int on = 1;
  // Leave nothing behind: the server must not stream to a watch given up.
  const linger reset{.l_onoff = 1, .l_linger = 0};
  SetOption(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kIntervalSeconds,
            sizeof kIntervalSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
  SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs,
            sizeof kUserTimeoutMs);
}

// The failure in words. cpprestsdk passes OpenSSL's packed numbers through.
std::string Explain(const web::http::http_exception& failure) {
  std::string text = failure.what();
  const auto code = static_cast<unsigned long>(failure.error_code().value());
  if (ERR_GET_LIB(code) != 0) {
    const char* const reason = ERR_reason_error_string(code);
    if (reason != nullptr) text += std::string(": ") + reason;
  }
  return text;
}

Duration RetryAfter(const web::http::http_headers& headers) {
  int seconds = 0;
  if (!headers.match("Retry-After", seconds)) return Duration{0};
  return std::chrono::seconds(std::clamp(seconds, 0, kMaxRetryAfterSeconds));
}

http_client_config Configure(const WatchTarget& target) {
  const std::shared_ptr<const ApiAccess> access = target.access;
  const bool ipv6 = IsIpv6(target.address);
  http_client_config config;
  config.set_timeout(target.longest_gap);
  config.set_max_redirects(0);  // else the token would follow
  if (!access->tls) {
    config.set_nativehandle_options([ipv6](void* handle) {
      PrepareSocket(ipv6, *static_cast<tcp::socket*>(handle));
    });
    return config;
  }
  config.set_tlsext_sni_enabled(false);  // ExpectServerName does it
  config.set_validate_certificates(!access->insecure);
  const Result<std::shared_ptr<const TlsContext>> tls =
      TlsContext::Create(*access);
  if (!tls.has_value()) throw std::runtime_error(tls.error().message);
  // The library's own context trusts the system's bundle: put ours in its
  // place.
  config.set_ssl_context_callback(
      [context = *tls](boost::asio::ssl::context& theirs) {
        SSL_CTX_up_ref(context->native());
        theirs = boost::asio::ssl::context(context->native());
      });
  config.set_nativehandle_options([ipv6, context = *tls](void* handle) {
    auto* const stream =
        static_cast<boost::asio::ssl::stream<tcp::socket&>*>(handle);
    PrepareSocket(ipv6, stream->next_layer());
    if (!ExpectServerName(context->verify_name(), stream->native_handle())) {
      throw std::runtime_error("OpenSSL did not take the server's name");
    }
  });
  return config;
}

std::string BaseUri(const WatchTarget& target) {
  const std::string host =
      IsIpv6(target.address) ? "[" + target.address + "]" : target.address;
  return (target.access->tls ? "https://" : "http://") + host + ":" +
         std::to_string(target.access->port);
}

web::http::http_request Request(const WatchTarget& target) {
  const ApiAccess& access = *target.access;
  web::http::http_request request(web::http::methods::GET);
  request.set_request_uri(web::uri(target.resource));
  web::http::http_headers& headers = request.headers();
  headers.add("Accept", "application/json");
  headers.add("User-Agent", target.user_agent);
  // The library checks the certificate against this header, so it must be the
  // bare name; only a server reached by its literal goes without.
  if (access.tls && access.verify_name != target.address) {
    headers.add("Host", access.verify_name);
  } else if (!access.tls && access.host != target.address) {
    headers.add("Host", access.host + ":" + std::to_string(access.port));
  }
  if (!access.bearer_token.empty()) {
    headers.add("Authorization", "Bearer " + access.bearer_token);
  }
  return request;
}

class CpprestConnection
    : public WatchConnection,
      public std::enable_shared_from_this<CpprestConnection> {
 public:
  explicit CpprestConnection(std::shared_ptr<WatchListener> listener)
      : listener_(std::move(listener)) {}

  void Run(const WatchTarget& target) override {
    StartWatchPool();
    try {
      Send(target);
    } catch (const std::exception& failure) {
      End(WatchEnd{.message = failure.what()});
    }
  }

  void Cancel() override { cancel_.cancel(); }

 private:
  void Send(const WatchTarget& target) {
    const auto self = shared_from_this();
    const auto sink = std::make_shared<WatchSink>(
        [self](std::string_view bytes) { self->Consume(bytes); });
    web::http::http_request request = Request(target);
    request.set_response_stream(concurrency::streams::ostream(
        concurrency::streams::streambuf<uint8_t>(sink)));
    client_ = std::make_unique<http_client>(BaseUri(target), Configure(target));
    // Every chain ends in a continuation that catches: a task exception nobody
    // looks at ends the process.
    client_->request(request, cancel_.get_token())
        .then([self](pplx::task<web::http::http_response> task) {
          const web::http::http_response response = task.get();
          self->TakeHeaders(response);
          return response.content_ready();
        })
        .then([self](pplx::task<web::http::http_response> task) {
          WatchEnd end;
          try {
            task.get();
          } catch (const web::http::http_exception& failure) {
            end.message = Explain(failure);
          } catch (const std::exception& failure) {
            end.message = failure.what();
          } catch (...) {
            end.message = "the watch request failed";
          }
          self->End(std::move(end));
        });
  }

  void TakeHeaders(const web::http::http_response& response) {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = response.status_code();
    retry_after_ = RetryAfter(response.headers());
    if (status_ != web::http::status_codes::OK) return;
    std::string coding;
    response.headers().match("Transfer-Encoding", coding);
    if (coding.find("chunked") == std::string::npos) {
      // Without chunks the library hands nothing over before 64 KiB.
      failure_ = "expected a chunked answer to the watch, found none";
      cancel_.cancel();
      return;
    }
    listener_->OnOpened();
    if (!held_.empty()) listener_->OnBytes(std::exchange(held_, ""));
  }

  // On the pool, from the sink: must not throw.
  void Consume(std::string_view bytes) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended_ || !failure_.empty()) return;
    if (status_ == web::http::status_codes::OK) {
      listener_->OnBytes(bytes);
      return;
    }
    if (status_ != 0) {  // a refusal: its first part will do
      held_ += bytes.substr(0, kMaxRefusal);
      if (held_.size() >= kMaxRefusal) cancel_.cancel();
      return;
    }
    // The headers' continuation may run after the first bytes: keep them.
    held_ += bytes.substr(0, kMaxHeld);
    if (held_.size() < kMaxHeld) return;
    failure_ = "the API server's watch came faster than it could be read";
    held_.clear();
    cancel_.cancel();
  }

  void End(WatchEnd end) {
    std::unique_ptr<http_client> client;
    const std::lock_guard<std::mutex> lock(mutex_);
    client.swap(client_);
    ended_ = true;
    end.status = status_;
    end.retry_after = retry_after_;
    if (!failure_.empty()) {
      end.message = failure_;
    } else if (!held_.empty()) {
      end.message = held_;
    }
    listener_->OnEnd(end);
  }

  const std::shared_ptr<WatchListener> listener_;
  pplx::cancellation_token_source cancel_;
  std::mutex mutex_;
  std::unique_ptr<http_client> client_;
  int status_ = 0;
  Duration retry_after_{0};
  std::string held_;
  std::string failure_;
  bool ended_ = false;
};

}  // namespace

std::shared_ptr<WatchConnection> WatchConnection::Create(
    std::shared_ptr<WatchListener> listener) {
  return std::make_shared<CpprestConnection>(std::move(listener));
}

bool WatchReachesIpv6() {
#ifdef TENURE_CPPREST_PATCHED
  return true;
#else
  return false;
#endif
}

}  // namespace tenure
