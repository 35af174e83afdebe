// WatchServer: an HTTP server on loopback that says exactly the bytes a test
// wants, right or wrong, also over TLS.
//
// Thread safety: the script runs once for each connection, on a thread of that
// connection; everything else on the test's thread.
#ifndef TENURE_TESTS_UNIT_KUBE_WATCH_SERVER_H_
#define TENURE_TESTS_UNIT_KUBE_WATCH_SERVER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/unit/kube/test_pki.h"

struct ssl_ctx_st;
struct ssl_st;

namespace tenure {

struct FreesContext {
  void operator()(ssl_ctx_st* context) const;
};
using ServingContext = std::unique_ptr<ssl_ctx_st, FreesContext>;

// A TLS server with this certificate.
ServingContext ServingAs(const TestPair& pair);

// Lets a script wait for the test.
class Gate {
 public:
  void Open() { opened_.set_value(); }
  void Wait() { future_.wait_for(std::chrono::seconds(30)); }

 private:
  std::promise<void> opened_;
  const std::shared_future<void> future_ = opened_.get_future();
};

// The server's end of one connection. Every call blocks, and fails once the
// client or the server has closed it.
class Peer {
 public:
  Peer(int fd, int nth) : fd_(fd), nth_(nth) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  int nth() const { return nth_; }  // 0 for the first connection
  bool Handshake(ssl_ctx_st* context);
  std::string ReadHead();  // up to the empty line
  bool Say(std::string_view bytes);
  bool SayStreamHead();  // 200, chunked
  bool SayChunk(std::string_view data);
  bool SayAnswer(int status, std::string_view body,
                 std::string_view headers = "");
  void WaitForClose();
  void Reset();  // RST
  // For the server: ends whatever the script waits for.
  void Shutdown();

 private:
  std::int64_t Receive(char* data, std::size_t size);

  int fd_;
  const int nth_;
  ssl_st* ssl_ = nullptr;
};

class WatchServer {
 public:
  using Script = std::function<void(Peer&)>;

  // `tls` null: plain HTTP. It must outlive the server.
  explicit WatchServer(Script script, ssl_ctx_st* tls = nullptr,
                       bool ipv6 = false, std::uint16_t port = 0);
  ~WatchServer();

  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }
  std::vector<std::string> heads() const;  // of the requests so far

 private:
  void Accept();
  void Serve(const std::shared_ptr<Peer>& peer);

  const Script script_;
  ssl_ctx_st* const tls_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> closing_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> heads_;
  std::vector<std::weak_ptr<Peer>> peers_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// A line of the stream: `{"type":TYPE,"object":<the Lease at revision>}\n`.
std::string EventLine(std::string_view type, std::int64_t revision,
                      std::string_view holder = "pod_uid_1");

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_KUBE_WATCH_SERVER_H_
