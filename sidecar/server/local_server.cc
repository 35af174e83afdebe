#include "sidecar/server/local_server.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sidecar/base/check.h"
#include "sidecar/coordinator/signals_blocked.h"
#include "sidecar/server/desk.h"
#include "sidecar/server/event_stream.h"
#include "sidecar/server/inbox.h"
#include "sidecar/server/listener.h"
#include "sidecar/server/listening_socket.h"
#include "sidecar/server/loop_calls.h"

namespace tenure {
namespace {

constexpr unsigned kStatusMode = 0666;  // it can only be read
constexpr char kStatusPortFlag[] = "--status-port";
constexpr char kProbePortFlag[] = "--probe-port";
// With port 0 the second address may find the first one's port taken.
constexpr int kPairAttempts = 16;

struct Bound {
  Surface surface = Surface::kStatusUnix;
  ListeningSocket socket;
};

// Tells the server's thread which leases were published. A lease that is
// already being told of is not told of again, so the loop thread posts at most
// once for each lease however busy the server is.
class Publications {
 public:
  Publications(std::size_t leases, std::shared_ptr<Inbox> inbox)
      : pending_(leases), inbox_(std::move(inbox)) {}

  void SetWanted(bool wanted) { wanted_ = wanted; }

  // Any thread.
  void OnPublish(std::size_t lease,
                 const std::shared_ptr<EventStreams>& streams) {
    if (!wanted_ || pending_[lease].exchange(true)) return;
    inbox_->Post([this, lease, weak = std::weak_ptr(streams)] {
      pending_[lease] = false;
      if (const auto alive = weak.lock()) alive->OnPublish(lease);
    });
  }

 private:
  std::atomic<bool> wanted_ = false;
  std::vector<std::atomic<bool>> pending_;
  const std::shared_ptr<Inbox> inbox_;
};

// Both loopback addresses on one port.
Result<void> BindLoopback(std::uint16_t wanted, std::vector<Bound>* bound) {
  Error error;
  for (int attempt = 0; attempt < kPairAttempts; ++attempt) {
    auto v4 = ListenOnTcp(TcpAddress::kLoopback4, wanted, kStatusPortFlag);
    if (!v4) return std::unexpected(v4.error());
    auto v6 =
        ListenOnTcp(TcpAddress::kLoopback6, (*v4)->port(), kStatusPortFlag);
    if (v6) {
      bound->push_back({Surface::kStatusTcp, *std::move(*v4)});
      if (v6->has_value()) {
        bound->push_back({Surface::kStatusTcp, *std::move(*v6)});
      }
      return {};
    }
    error = v6.error();
    if (wanted != 0) break;
  }
  return std::unexpected(error);
}

Result<void> BindProbe(std::uint16_t port, std::vector<Bound>* bound) {
  auto socket = ListenOnTcp(TcpAddress::kAnyDual, port, kProbePortFlag);
  if (socket && !socket->has_value()) {
    socket = ListenOnTcp(TcpAddress::kAny4, port, kProbePortFlag);
  }
  if (!socket) return std::unexpected(socket.error());
  bound->push_back({Surface::kProbe, *std::move(*socket)});
  return {};
}

Result<void> BindUnix(Surface surface, const std::string& path, unsigned mode,
                      const std::string& group, const char* flag,
                      std::vector<Bound>* bound) {
  auto socket = ListenOnUnix(path, mode, group, flag);
  if (!socket) return std::unexpected(socket.error());
  bound->push_back({surface, *std::move(socket)});
  return {};
}

Result<std::vector<Bound>> BindAll(const LocalServerOptions& options) {
  std::vector<Bound> bound;
  Result<void> done;
  if (options.status_tcp) done = BindLoopback(options.status_port, &bound);
  if (done && options.probe) done = BindProbe(options.probe_port, &bound);
  if (done && !options.status_socket.empty()) {
    done = BindUnix(Surface::kStatusUnix, options.status_socket, kStatusMode,
                    "", "--status-socket", &bound);
  }
  if (done && !options.control_socket.empty()) {
    done = BindUnix(Surface::kControl, options.control_socket,
                    options.control_mode, options.control_group,
                    "--control-socket", &bound);
  }
  if (!done) return std::unexpected(done.error());
  return bound;
}

class Server : public LocalServer {
 public:
  Server(const LocalServerOptions& options, SnapshotBoard* board,
         ControlPort* control, Desk::Now now, Desk::Metrics metrics,
         std::vector<Bound> bound)
      : desk_(options, board, std::move(now), std::move(metrics)),
        inbox_(std::make_shared<Inbox>(&context_)),
        calls_(std::make_shared<LoopCalls>(&context_, inbox_, control,
                                           options.waits.control)),
        publications_(
            std::make_shared<Publications>(board->leases().size(), inbox_)),
        streams_(std::make_shared<EventStreams>(
            [wanted = publications_](bool any) { wanted->SetWanted(any); })) {
    for (Bound& one : bound) {
      const std::uint16_t port = one.socket.port();
      if (one.surface == Surface::kStatusTcp) status_port_ = port;
      if (one.surface == Surface::kProbe) probe_port_ = port;
      listeners_.push_back(std::make_unique<Listener>(
          &context_, &desk_, calls_.get(), streams_.get(), one.surface,
          std::move(one.socket)));
    }
    desk_.SetDisplaced([this] {
      std::string all;
      for (const auto& listener : listeners_) {
        const std::string one = listener->Displaced();
        if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
      }
      return all;
    });
    // The board outlives the server and keeps the listener: what it captures
    // is alive then, and posts to nobody.
    board->SetListener([publications = publications_,
                        streams = std::weak_ptr(streams_)](std::size_t lease) {
      if (const auto alive = streams.lock()) {
        publications->OnPublish(lease, alive);
      }
    });
  }

  ~Server() override { Stop(); }

  Result<void> Start() override {
    CHECK(!thread_.joinable());
    desk_.NoteStart();
    for (const auto& listener : listeners_) {
      boost::asio::post(context_, [&listener] { listener->Start(); });
    }
    const SignalsBlocked blocked;
    try {
      thread_ = std::thread([this] { context_.run(); });
    } catch (const std::system_error& failure) {
      return Fail(ErrorCode::kUnavailable,
                  std::string("expected to start a thread for the local "
                              "server, found: ") +
                      failure.what() + "; raise the pids limit");
    }
    return {};
  }

  void Stop() override {
    if (thread_.joinable()) {
      inbox_->Close();
      boost::asio::post(context_, [this] {
        for (const auto& listener : listeners_) listener->Stop();
        calls_->Clear();
      });
      // Every socket and timer is closed, so the context runs out of work.
      thread_.join();
    }
    listeners_.clear();  // removes the paths of the Unix sockets
  }

  std::size_t connections() const override {
    std::size_t count = 0;
    for (const auto& listener : listeners_) count += listener->connections();
    return count;
  }

  std::uint16_t status_port() const override { return status_port_; }
  std::uint16_t probe_port() const override { return probe_port_; }

 private:
  boost::asio::io_context context_{1};
  Desk desk_;
  const std::shared_ptr<Inbox> inbox_;
  const std::shared_ptr<LoopCalls> calls_;
  const std::shared_ptr<Publications> publications_;
  const std::shared_ptr<EventStreams> streams_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::uint16_t status_port_ = 0;
  std::uint16_t probe_port_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<LocalServer>> LocalServer::Open(
    const LocalServerOptions& options, SnapshotBoard* board,
    ControlPort* control, std::function<Moment()> now,
    std::function<std::string(const Moment&, bool open_metrics)> metrics) {
  Result<std::vector<Bound>> bound = BindAll(options);
  if (!bound) return std::unexpected(bound.error());
  LocalServerOptions shared = options;
  const int listeners = std::max<int>(static_cast<int>(bound->size()), 1);
  shared.max_connections = std::clamp(options.max_all_connections / listeners,
                                      1, std::max(options.max_connections, 1));
  try {
    return std::make_unique<Server>(shared, board, control, std::move(now),
                                    std::move(metrics), *std::move(bound));
  } catch (const std::exception& failure) {
    return Fail(
        ErrorCode::kUnavailable,
        std::string("cannot start the local server: ") + failure.what());
  }
}

}  // namespace tenure
