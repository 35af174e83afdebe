#include "sidecar/embedded/embedded_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/coordinator/signals_blocked.h"
#include "sidecar/embedded/bounded_server.h"
#include "sidecar/embedded/http_session.h"
#include "sidecar/embedded/server_core.h"

namespace tenure {
namespace embedded {
namespace {

namespace net = boost::asio;
using boost::beast::error_code;
using net::ip::tcp;

// How long accepting rests when the process has no file descriptor left.
constexpr std::chrono::milliseconds kAcceptPause{100};

std::string NotListening(const EmbeddedServerOptions& options,
                         const std::string& address,
                         const error_code& failure) {
  const std::string where = address + ":" + std::to_string(options.port);
  const std::string instead =
      "; choose another with " + options.port_flag + ", or 0 for any free one";
  if (failure != net::error::address_in_use) {
    return "expected to listen on " + where + ", found: " + failure.message() +
           instead;
  }
  const std::string owner =
      options.port_owner ? options.port_owner(options.port) : "";
  return "expected " + where + " to be free, found it in use" +
         (owner.empty() ? "" : " by " + owner) + instead;
}

class BoundedServer : public EmbeddedServer {
 public:
  BoundedServer(const ServerLimits& limits, bool faults)
      : core_(limits, faults),
        io_(std::make_unique<net::io_context>(1)),
        acceptor_(std::make_unique<tcp::acceptor>(*io_)),
        pause_(std::make_unique<net::steady_timer>(*io_)) {}

  ~BoundedServer() override { Stop(); }

  Result<void> Listen(const EmbeddedServerOptions& options) {
    error_code failure;
    const net::ip::address address =
        net::ip::make_address(options.address, failure);
    if (failure || !address.is_loopback()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the embedded server has no authentication: expected the "
                  "address 127.0.0.1 or ::1, found \"" +
                      options.address + "\"");
    }
    const tcp::endpoint endpoint(address, options.port);
    acceptor_->open(endpoint.protocol(), failure);
    if (!failure) {
      acceptor_->set_option(tcp::acceptor::reuse_address(true), failure);
    }
    if (!failure) acceptor_->bind(endpoint, failure);
    if (!failure) {
      acceptor_->listen(net::socket_base::max_listen_connections, failure);
    }
    address_ =
        address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
    if (failure) {
      return Fail(ErrorCode::kUnavailable,
                  NotListening(options, address_, failure));
    }
    port_ = acceptor_->local_endpoint().port();
    return {};
  }

  void Start() override {
    const std::lock_guard lock(mutex_);
    if (io_ == nullptr || thread_.joinable()) return;
    Accept();
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { io_->run(); });
  }

  void Stop() override {
    const std::lock_guard lock(mutex_);
    if (io_ == nullptr) return;
    io_->stop();
    if (thread_.joinable()) thread_.join();
    // Sockets and sessions die with the io_context that holds their handlers.
    pause_.reset();
    acceptor_.reset();
    io_.reset();
  }

  std::uint16_t port() const override { return port_; }

  std::string Kubeconfig() const override {
    return "apiVersion: v1\n"
           "kind: Config\n"
           "current-context: tenure-dev\n"
           "clusters:\n"
           "- name: tenure-dev\n"
           "  cluster:\n"
           "    server: http://" +
           address_ + ":" + std::to_string(port_) +
           "\n"
           "contexts:\n"
           "- name: tenure-dev\n"
           "  context:\n"
           "    cluster: tenure-dev\n"
           "    namespace: default\n"
           "    user: tenure-dev\n"
           "users:\n"
           "- name: tenure-dev\n"
           "  user: {}\n";
  }

 private:
  void Accept() {
    acceptor_->async_accept([this](error_code failure, tcp::socket socket) {
      if (failure == net::error::operation_aborted) return;
      if (failure) return AcceptLater();
      if (core_.connections() < core_.limits().connections) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<HttpSession>(std::move(socket), core_)->Start();
      }
      Accept();
    });
  }

  void AcceptLater() {
    pause_->expires_after(kAcceptPause);
    pause_->async_wait([this](error_code failure) {
      if (!failure) Accept();
    });
  }

  ServerCore core_;  // outlives io_, whose handlers own the sessions
  std::mutex mutex_;
  std::unique_ptr<net::io_context> io_;
  std::unique_ptr<tcp::acceptor> acceptor_;
  std::unique_ptr<net::steady_timer> pause_;
  std::thread thread_;
  std::string address_;
  std::uint16_t port_ = 0;
};

}  // namespace

Result<std::unique_ptr<EmbeddedServer>> OpenBounded(
    const EmbeddedServerOptions& options, const ServerLimits& limits) {
  try {
    auto server = std::make_unique<BoundedServer>(limits, options.faults);
    if (auto listening = server->Listen(options); !listening) {
      return std::unexpected(listening.error());
    }
    return server;
  } catch (const std::exception& failure) {
    return Fail(
        ErrorCode::kUnavailable,
        std::string("cannot start the embedded server: ") + failure.what());
  }
}

}  // namespace embedded

Result<std::unique_ptr<EmbeddedServer>> EmbeddedServer::Open(
    const EmbeddedServerOptions& options) {
  embedded::ServerLimits limits;
  limits.connections = std::min(limits.connections, options.max_connections);
  return embedded::OpenBounded(options, limits);
}

}  // namespace tenure
