// LoopbackClient: one connection to a server under test, by plain sockets, so
// that bytes, closes and resets are seen as they come.
//
// Thread safety: one thread. Every wait ends within kWaitLimit.
#ifndef TENURE_TESTS_UNIT_EMBEDDED_LOOPBACK_CLIENT_H_
#define TENURE_TESTS_UNIT_EMBEDDED_LOOPBACK_CLIENT_H_

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tenure::embedded {

inline constexpr std::chrono::seconds kWaitLimit{30};

struct HttpReply {
  int code = 0;  // 0: no answer
  std::string head;
  std::string body;

  nlohmann::json json() const {
    return nlohmann::json::parse(body, nullptr, false);
  }
};

enum class End { kOpen, kClosed, kReset };

class LoopbackClient {
 public:
  // `receive_buffer`: bytes the kernel holds for us. 0: as it likes.
  explicit LoopbackClient(std::uint16_t port, int receive_buffer = 0);
  ~LoopbackClient();
  LoopbackClient(const LoopbackClient&) = delete;
  LoopbackClient& operator=(const LoopbackClient&) = delete;

  bool connected() const { return socket_ >= 0; }

  // False once the connection is gone.
  bool Send(const std::string& bytes);
  bool SendRequest(const std::string& method, const std::string& path,
                   const std::string& body = "",
                   const std::string& more_headers = "");

  HttpReply ReadReply();
  HttpReply Call(const std::string& method, const std::string& path,
                 const std::string& body = "",
                 const std::string& more_headers = "");

  // Of a watch: the head of its answer, then its events one by one. An empty
  // event: the stream ended.
  HttpReply ReadHead();
  nlohmann::json ReadEvent();

  // Waits for the other side to end; kOpen if it does not in `limit`.
  End WaitEnd(std::chrono::milliseconds limit);

 private:
  bool Fill(std::chrono::milliseconds limit);
  std::optional<std::string> TakeLine();

  int socket_ = -1;
  bool reset_ = false;
  bool ended_ = false;
  std::string input_;
};

}  // namespace tenure::embedded

#endif  // TENURE_TESTS_UNIT_EMBEDDED_LOOPBACK_CLIENT_H_
