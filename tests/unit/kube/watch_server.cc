#include "tests/unit/kube/watch_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <utility>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

constexpr std::size_t kMaxConnections = 1000;

int Listen(bool ipv6, std::uint16_t port) {
  const int fd =
      ::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(fd >= 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  six.sin6_port = htons(port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  four.sin_port = htons(port);
  const int bound =
      ipv6 ? ::bind(fd, reinterpret_cast<sockaddr*>(&six), sizeof six)
           : ::bind(fd, reinterpret_cast<sockaddr*>(&four), sizeof four);
  CHECK(bound == 0);
  CHECK(::listen(fd, 64) == 0);
  return fd;
}

std::uint16_t PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  CHECK(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  // The port stands at the same place in both families.
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace

void FreesContext::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

ServingContext ServingAs(const TestPair& pair) {
  ServingContext context(SSL_CTX_new(TLS_server_method()));
  BIO* const cert = BIO_new_mem_buf(pair.cert_pem.data(), -1);
  BIO* const key = BIO_new_mem_buf(pair.key_pem.data(), -1);
  X509* const leaf = PEM_read_bio_X509(cert, nullptr, nullptr, nullptr);
  EVP_PKEY* const secret =
      PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context.get(), leaf);
  SSL_CTX_use_PrivateKey(context.get(), secret);
  X509_free(leaf);
  EVP_PKEY_free(secret);
  BIO_free(cert);
  BIO_free(key);
  return context;
}

Peer::~Peer() {
  SSL_free(ssl_);
  ::close(fd_);
}

bool Peer::Handshake(ssl_ctx_st* context) {
  ssl_ = SSL_new(context);
  SSL_set_fd(ssl_, fd_);
  return SSL_accept(ssl_) == 1;
}

std::int64_t Peer::Receive(char* data, std::size_t size) {
  if (ssl_ != nullptr) return SSL_read(ssl_, data, static_cast<int>(size));
  return ::recv(fd_, data, size, 0);
}

std::string Peer::ReadHead() {
  std::string head;
  char byte = 0;
  while (!head.ends_with("\r\n\r\n") && Receive(&byte, 1) == 1) head += byte;
  return head;
}

bool Peer::Say(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent =
        ssl_ != nullptr
            ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
            : static_cast<int>(
                  ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Peer::SayStreamHead() {
  return Say(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
}

bool Peer::SayChunk(std::string_view data) {
  std::array<char, 24> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", data.size());
  return Say(std::string(size.data()).append(data).append("\r\n"));
}

bool Peer::SayAnswer(int status, std::string_view body,
                     std::string_view headers) {
  return Say("HTTP/1.1 " + std::to_string(status) + " Whatever\r\n" +
             std::string(headers) + "Content-Length: " +
             std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

void Peer::WaitForClose() {
  std::array<char, 256> data{};
  while (Receive(data.data(), data.size()) > 0) {
  }
}

void Peer::Reset() {
  // Linux resets a connection that is disconnected so; closing would free the
  // number for others.
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  ::connect(fd_, &nowhere, sizeof nowhere);
}

void Peer::Shutdown() { ::shutdown(fd_, SHUT_RDWR); }

WatchServer::WatchServer(Script script, ssl_ctx_st* tls, bool ipv6,
                         std::uint16_t port)
    : script_(std::move(script)), tls_(tls), listener_(Listen(ipv6, port)) {
  port_ = PortOf(listener_);
  // OpenSSL writes to sockets that may be closed.
  if (tls_ != nullptr) std::signal(SIGPIPE, SIG_IGN);
  acceptor_ = std::thread([this] { Accept(); });
}

WatchServer::~WatchServer() {
  closing_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const std::weak_ptr<Peer>& weak : peers_) {
      if (const std::shared_ptr<Peer> peer = weak.lock()) peer->Shutdown();
    }
  }
  for (std::thread& thread : threads_) thread.join();
}

std::vector<std::string> WatchServer::heads() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return heads_;
}

void WatchServer::Accept() {
  while (!closing_ && threads_.size() < kMaxConnections) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto peer = std::make_shared<Peer>(fd, connections_++);
    const std::lock_guard<std::mutex> lock(mutex_);
    peers_.push_back(peer);
    threads_.emplace_back([this, peer] { Serve(peer); });
  }
}

void WatchServer::Serve(const std::shared_ptr<Peer>& peer) {
  if (tls_ != nullptr && !peer->Handshake(tls_)) return;
  const std::string head = peer->ReadHead();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    heads_.push_back(head);
  }
  if (!head.empty() && !closing_) script_(*peer);
}

std::string EventLine(std::string_view type, std::int64_t revision,
                      std::string_view holder) {
  return R"({"type":")" + std::string(type) +
         R"(","object":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
         R"("metadata":{"name":"job","namespace":"batch","uid":"u-1",)"
         R"("resourceVersion":")" +
         std::to_string(revision) + R"("},"spec":{"holderIdentity":")" +
         std::string(holder) +
         R"(","leaseDurationSeconds":15}}})"
         "\n";
}

}  // namespace tenure
