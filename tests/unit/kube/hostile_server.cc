#include "tests/unit/kube/hostile_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>

#include "sidecar/base/check.h"

namespace tenure {
namespace {

constexpr std::chrono::seconds kGenerous{30};

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  Address(const std::string& text, std::uint16_t port) {
    if (text.find(':') != std::string::npos) {
      auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
      v6->sin6_family = AF_INET6;
      v6->sin6_port = htons(port);
      CHECK(::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1);
      size = sizeof(*v6);
    } else {
      auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
      v4->sin_family = AF_INET;
      v4->sin_port = htons(port);
      CHECK(::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1);
      size = sizeof(*v4);
    }
  }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

int NewSocket(int family) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(fd >= 0);
  return fd;
}

std::uint16_t PortOf(int fd) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  CHECK(::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) == 0);
  // sin_port and sin6_port are at the same place.
  return ntohs(reinterpret_cast<sockaddr_in*>(&storage)->sin_port);
}

}  // namespace

HostileServer::HostileServer(const HostileOptions& options, Script script)
    : script_(std::move(script)) {
  std::signal(SIGPIPE, SIG_IGN);  // of SSL_write; the client must not need it
  if (options.tls.has_value()) tls_ = NewTls(options);
  Address address(options.address, options.port);
  listener_ = NewSocket(address.storage.ss_family);
  const int one = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  if (options.receive_buffer > 0) {
    ::setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer,
                 sizeof(options.receive_buffer));
  }
  CHECK(::bind(listener_, address.get(), address.size) == 0);
  CHECK(::listen(listener_, 64) == 0);
  CHECK(::pipe(stop_pipe_) == 0);
  port_ = PortOf(listener_);
  accepting_ = std::thread([this] { Accept(); });
}

HostileServer::~HostileServer() {
  Stop();
  ::close(stop_pipe_[0]);
  SSL_CTX_free(tls_);
}

bool HostileServer::CanBind(const std::string& text) {
  Address address(text, 0);
  const int fd = ::socket(address.storage.ss_family, SOCK_STREAM, 0);
  const bool bound = fd >= 0 && ::bind(fd, address.get(), address.size) == 0;
  if (fd >= 0) ::close(fd);
  return bound;
}

SSL_CTX* HostileServer::NewTls(const HostileOptions& options) const {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  const auto load = [](const std::string& pem) {
    return BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  };
  BIO* bio = load(options.tls->cert_pem);
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  CHECK(SSL_CTX_use_certificate(context, certificate) == 1);
  X509_free(certificate);
  BIO_free(bio);
  bio = load(options.tls->key_pem);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  CHECK(SSL_CTX_use_PrivateKey(context, key) == 1);
  EVP_PKEY_free(key);
  BIO_free(bio);
  if (options.tls11_only) {
    SSL_CTX_set_cipher_list(context, "DEFAULT@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  }
  if (!options.client_ca_pem.empty()) {
    bio = load(options.client_ca_pem);
    certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate);
    X509_free(certificate);
    BIO_free(bio);
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

void HostileServer::Accept() {
  while (true) {
    std::array<pollfd, 2> fds = {pollfd{listener_, POLLIN, 0},
                                 pollfd{stop_pipe_[0], POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[1].revents != 0) return;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    const int index = connections_++;
    fds_.push_back(fd);
    threads_.emplace_back([this, fd, index] { Serve(fd, index); });
    changed_.notify_all();
  }
}

void HostileServer::Serve(int fd, int index) {
  Peer peer(this, fd, index);
  if (peer.Handshake()) script_(peer);
  SSL_free(peer.ssl_);
  // Closed under the lock, so that Stop never shuts down a number reused.
  const std::lock_guard lock(mutex_);
  std::erase(fds_, fd);
  ::close(fd);
  ++ended_;
  changed_.notify_all();
}

void HostileServer::Stop() {
  if (!accepting_.joinable()) return;
  ::close(stop_pipe_[1]);
  accepting_.join();
  ::close(listener_);
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : fds_) ::shutdown(fd, SHUT_RDWR);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::string> HostileServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

int HostileServer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

int HostileServer::handshakes() const {
  const std::lock_guard lock(mutex_);
  return handshakes_;
}

bool HostileServer::WaitForRequests(std::size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kGenerous,
                           [&] { return requests_.size() >= count; });
}

bool HostileServer::WaitForEnded(int count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kGenerous, [&] { return ended_ >= count; });
}

bool Peer::Handshake() {
  if (server_->tls_ == nullptr) return true;
  ssl_ = SSL_new(server_->tls_);
  SSL_set_fd(ssl_, fd_);
  const bool good = SSL_accept(ssl_) == 1;
  const std::lock_guard lock(server_->mutex_);
  if (good) ++server_->handshakes_;
  return good;
}

std::size_t Peer::Read(char* data, std::size_t size) {
  const auto got = ssl_ != nullptr
                       ? SSL_read(ssl_, data, static_cast<int>(size))
                       : ::recv(fd_, data, size, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::string Peer::ReadRequest() {
  std::array<char, 4096> piece;
  while (true) {
    const std::size_t end = buffer_.find("\r\n\r\n");
    if (end != std::string::npos) {
      std::size_t whole = end + 4;
      const std::string key = "Content-Length: ";
      const std::size_t at = buffer_.find(key);
      if (at < end) whole += std::stoul(buffer_.substr(at + key.size()));
      if (buffer_.size() >= whole) {
        const std::string request = buffer_.substr(0, whole);
        buffer_.erase(0, whole);
        const std::lock_guard lock(server_->mutex_);
        server_->requests_.push_back(request);
        server_->changed_.notify_all();
        return request;
      }
    }
    const std::size_t got = Read(piece.data(), piece.size());
    if (got == 0) return "";
    buffer_.append(piece.data(), got);
  }
}

std::string Peer::ReadToEnd() {
  std::array<char, 4096> piece;
  std::string text = std::move(buffer_);
  while (const std::size_t got = Read(piece.data(), piece.size())) {
    text.append(piece.data(), got);
  }
  return text;
}

bool Peer::Send(const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const auto size = std::min<std::size_t>(text.size() - sent, 1U << 16U);
    const auto put =
        ssl_ != nullptr
            ? SSL_write(ssl_, text.data() + sent, static_cast<int>(size))
            : ::send(fd_, text.data() + sent, size, MSG_NOSIGNAL);
    if (put <= 0) return false;
    sent += static_cast<std::size_t>(put);
  }
  return true;
}

void Peer::Answer(int status, const std::string& body,
                  const std::string& headers) {
  Send("HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers +
       "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

void Peer::HalfClose() {
  if (ssl_ != nullptr) SSL_shutdown(ssl_);
  ::shutdown(fd_, SHUT_WR);
}

void Peer::Reset() {
  const linger reset{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

void Peer::Hang() {
  std::array<pollfd, 2> fds = {pollfd{fd_, POLLRDHUP, 0},
                               pollfd{server_->stop_pipe_[0], POLLIN, 0}};
  ::poll(fds.data(), fds.size(),
         static_cast<int>(std::chrono::milliseconds{kGenerous}.count()));
}

void Peer::TunnelTo(const std::string& text, std::uint16_t port) {
  Address address(text, port);
  const int other = NewSocket(address.storage.ss_family);
  CHECK(::connect(other, address.get(), address.size) == 0);
  std::array<char, 4096> piece;
  std::array<pollfd, 2> fds = {pollfd{fd_, POLLIN, 0},
                               pollfd{other, POLLIN, 0}};
  bool open = true;
  while (open && ::poll(fds.data(), fds.size(), -1) > 0) {
    for (std::size_t i = 0; i < fds.size() && open; ++i) {
      if (fds[i].revents == 0) continue;
      const ssize_t got = ::recv(fds[i].fd, piece.data(), piece.size(), 0);
      open =
          got > 0 && ::send(fds[1 - i].fd, piece.data(),
                            static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
    }
  }
  ::close(other);
}

BlackholedListener::BlackholedListener(const std::string& text,
                                       std::uint16_t port) {
  Address address(text, port);
  const int listener = NewSocket(address.storage.ss_family);
  const int one = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  CHECK(::bind(listener, address.get(), address.size) == 0);
  CHECK(::listen(listener, 0) == 0);
  port_ = PortOf(listener);
  fds_.push_back(listener);
  Address full(text, port_);
  for (int i = 0; i < 8; ++i) {
    const int fd = ::socket(full.storage.ss_family,
                            SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    static_cast<void>(::connect(fd, full.get(), full.size));
    fds_.push_back(fd);
  }
}

BlackholedListener::~BlackholedListener() {
  for (const int fd : fds_) ::close(fd);
}

}  // namespace tenure
