#include "sidecar/cli/local_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr Duration kGenerous = seconds(30);

// Accepts one connection, sends `reply`, and keeps what it was asked.
class OneShotServer {
 public:
  explicit OneShotServer(std::string reply) : reply_(std::move(reply)) {
    listening_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listening_, generic, sizeof address), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    socklen_t size = sizeof address;
    getsockname(listening_, generic, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }

  ~OneShotServer() {
    if (thread_.joinable()) thread_.join();
    close(listening_);
  }

  LocalAddress address() const { return {"", port_, "--port"}; }

  std::string Asked() {
    thread_.join();
    return asked_;
  }

 private:
  void Serve() {
    const int connection = accept(listening_, nullptr, nullptr);
    char buffer[4096];
    while (asked_.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = read(connection, buffer, sizeof buffer);
      if (got <= 0) break;
      asked_.append(buffer, static_cast<std::size_t>(got));
    }
    std::size_t sent = 0;
    while (sent < reply_.size()) {
      const ssize_t n = send(connection, reply_.data() + sent,
                             reply_.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    // With nothing to say, hold on until the client gives up.
    if (reply_.empty()) {
      while (read(connection, buffer, sizeof buffer) > 0) {
      }
    }
    close(connection);
  }

  const std::string reply_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::string asked_;
  std::thread thread_;
};

TEST(LocalClient, AsksAndReturnsTheAnswer) {
  OneShotServer server(
      "HTTP/1.1 409 Conflict\r\nContent-Length: 8\r\n\r\nstandby\n");
  const auto got =
      LocalGet(server.address(), "/v1/generation", true, kGenerous);
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->status, 409);
  EXPECT_EQ(got->body, "standby\n");
  const std::string asked = server.Asked();
  EXPECT_THAT(asked, HasSubstr("GET /v1/generation HTTP/1.1\r\n"));
  EXPECT_THAT(asked, HasSubstr("Host: localhost\r\n"));
  EXPECT_THAT(asked, HasSubstr("Accept: application/json\r\n"));
}

TEST(LocalClient, ASilentServerIsGivenUp) {
  OneShotServer server("");
  const auto got =
      LocalGet(server.address(), "/v1/status", true, milliseconds(50));
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ErrorCode::kUnavailable);
}

TEST(LocalClient, GarbageIsAnError) {
  OneShotServer server("what?\r\n\r\n");
  EXPECT_FALSE(
      LocalGet(server.address(), "/v1/status", true, kGenerous).has_value());
}

// One of Beast's errors, whose number is that of "No such file" in errno.
TEST(LocalClient, AnAnswerCutShortIsNoReasonToStartASidecar) {
  OneShotServer server("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhi");
  const auto got = LocalGet(server.address(), "/v1/status", true, kGenerous);
  ASSERT_FALSE(got.has_value());
  EXPECT_THAT(got.error().message, HasSubstr("expected a sidecar to answer"));
  EXPECT_THAT(got.error().message, Not(HasSubstr("tenure run")));
}

TEST(LocalClient, ABodyAboveTheLimitIsRefused) {
  OneShotServer server("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n" +
                       std::string(1'048'577, 'x'));
  EXPECT_FALSE(
      LocalGet(server.address(), "/v1/status", true, kGenerous).has_value());
}

TEST(LocalClient, WhereNobodyListensTheAddressIsNamed) {
  const auto none = LocalGet({"/nonexistent/tenure.sock", 0, ""}, "/v1/status",
                             true, kGenerous);
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("/nonexistent/tenure.sock"));
  const auto too_long =
      LocalGet({std::string(200, 'a'), 0, ""}, "/v1/status", true, kGenerous);
  EXPECT_FALSE(too_long.has_value());
}

}  // namespace
}  // namespace tenure
