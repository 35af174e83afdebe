// Client: a plain blocking socket, so that tests can send anything at any
// speed. Every wait ends after a generous bound and then fails the test.
#ifndef TENURE_TESTS_UNIT_SERVER_CLIENT_H_
#define TENURE_TESTS_UNIT_SERVER_CLIENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tenure {

class Client {
 public:
  static Client Unix(const std::string& path);
  static Client Tcp(std::uint16_t port);
  static Client Tcp6(std::uint16_t port);
  ~Client();
  Client(Client&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        received_(std::move(other.received_)) {}

  bool connected() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  // Before anything is sent: what the server can send ahead of our reading.
  void SetReceiveBuffer(int bytes);
  void CloseSending();
  void Close();

  // False if the server closed.
  bool Send(std::string_view bytes);
  // Sends what fits without waiting; how much that was.
  std::size_t SendSome(std::string_view bytes);

  // One reply with a Content-Length, whole; what came if it ended before.
  std::string ReadReply(bool has_body = true);
  // Everything up to and including `mark`.
  std::string ReadUntil(std::string_view mark);
  // Everything until the server closes.
  std::string ReadToEnd();
  // Whether the server closes, whatever it sends before.
  bool ReadsEnd();

  // Send and ReadReply.
  std::string Ask(std::string_view request, bool has_body = true);
  std::string Get(const std::string& target,
                  const std::string& fields = "Host: localhost\r\n");
  std::string Post(const std::string& target, const std::string& body);

 private:
  explicit Client(int fd) : fd_(fd) {}
  // False at the end, or after the bound.
  bool Fill();

  int fd_ = -1;
  std::string received_;
};

// The status of a reply, 0 if it is none; its body.
int StatusOf(const std::string& reply);
std::string BodyOf(const std::string& reply);

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_SERVER_CLIENT_H_
