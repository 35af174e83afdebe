// HostileServer: an HTTP server that does to each connection what a script
// says, on threads of its own with blocking calls.
#ifndef TENURE_TESTS_UNIT_KUBE_HOSTILE_SERVER_H_
#define TENURE_TESTS_UNIT_KUBE_HOSTILE_SERVER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/kube/test_pki.h"

struct ssl_ctx_st;
struct ssl_st;

namespace tenure {

class HostileServer;

// One accepted connection, used by its script.
class Peer {
 public:
  // Which connection of the server this is, from 0.
  int index() const { return index_; }

  // A whole request, body and all, and records it with the server. Empty when
  // the client is gone.
  std::string ReadRequest();
  // False when the client is gone.
  bool Send(const std::string& text);
  // An answer with this body and Content-Length.
  void Answer(int status, const std::string& body,
              const std::string& headers = "");
  // Reads whatever comes until the client is gone.
  std::string ReadToEnd();
  void HalfClose();
  void Reset();
  // Returns once Stop was called or the client closed; reads nothing.
  void Hang();
  // A CONNECT proxy's work: bytes to and fro until one side ends.
  void TunnelTo(const std::string& address, std::uint16_t port);

 private:
  friend class HostileServer;
  Peer(HostileServer* server, int fd, int index)
      : server_(server), fd_(fd), index_(index) {}

  bool Handshake();
  std::size_t Read(char* data, std::size_t size);

  HostileServer* const server_;
  const int fd_;
  const int index_;
  ssl_st* ssl_ = nullptr;
  std::string buffer_;
};

struct HostileOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::optional<TestPair> tls = std::nullopt;
  bool tls11_only = false;
  std::string client_ca_pem =
      "";                  // not empty: a client certificate is required
  int receive_buffer = 0;  // bytes; 0: the system's
};

class HostileServer {
 public:
  using Script = std::function<void(Peer&)>;

  // Dies if the address cannot be bound.
  HostileServer(const HostileOptions& options, Script script);
  ~HostileServer();

  static bool CanBind(const std::string& address);

  std::uint16_t port() const { return port_; }
  // Ends every connection and takes no more.
  void Stop();

  std::vector<std::string> requests() const;
  int connections() const;
  // How many TLS handshakes ended well.
  int handshakes() const;
  // False if that takes longer than a generous while.
  bool WaitForRequests(std::size_t count) const;
  // The same for scripts that have ended.
  bool WaitForEnded(int count) const;

 private:
  friend class Peer;
  void Accept();
  void Serve(int fd, int index);
  ssl_ctx_st* NewTls(const HostileOptions& options) const;

  const Script script_;
  ssl_ctx_st* tls_ = nullptr;
  int listener_ = -1;
  int stop_pipe_[2] = {-1, -1};
  std::uint16_t port_ = 0;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::string> requests_;
  std::vector<std::thread> threads_;
  std::vector<int> fds_;
  int connections_ = 0;
  int handshakes_ = 0;
  int ended_ = 0;
  std::thread accepting_;
};

// A listener whose accept queue is full: connecting to it gets no answer.
class BlackholedListener {
 public:
  BlackholedListener(const std::string& address, std::uint16_t port);
  ~BlackholedListener();
  std::uint16_t port() const { return port_; }

 private:
  std::vector<int> fds_;
  std::uint16_t port_ = 0;
};

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_KUBE_HOSTILE_SERVER_H_
