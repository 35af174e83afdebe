#include "sidecar/gate/local_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <system_error>

#include "sidecar/gate/how_to_reach.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// The other side: a listening socket and what was accepted last.
class Peer {
 public:
  Peer() {
    std::string pattern = testing::TempDir() + "/link-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/s";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, path_.size());
    listening_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM, 0));
    ::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address),
           sizeof address);
    ::listen(listening_.get(), 4);
  }
  ~Peer() {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
  }

  const std::string& path() const { return path_; }
  void Accept() {
    made_ = Descriptor(::accept(listening_.get(), nullptr, nullptr));
  }
  std::string Read() const {
    std::array<char, 1024> text;
    const ssize_t got = ::recv(made_.get(), text.data(), text.size(), 0);
    return got < 0 ? "" : std::string(text.data(), static_cast<size_t>(got));
  }
  void Write(const std::string& text) const {
    ASSERT_EQ(::send(made_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void Hang() { made_.Close(); }

 private:
  std::string folder_;
  std::string path_;
  Descriptor listening_;
  Descriptor made_;
};

constexpr char kYes[] =
    "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 3\r\n\r\nyes";

TEST(LocalLink, AsksOverOneConnectionThatIsKept) {
  Peer peer;
  LocalLink link(peer.path());
  ASSERT_TRUE(link.Ask("GET", "/v1/status"));
  peer.Accept();
  EXPECT_THAT(peer.Read(), StartsWith("GET /v1/status HTTP/1.1\r\n"));
  peer.Write(kYes);
  auto answer = link.Receive();
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status, 200);
  EXPECT_EQ((*answer)->body, "yes");
  ASSERT_TRUE(link.Ask("POST", "/v1/done?generation=3"));
  EXPECT_THAT(peer.Read(), EndsWith("Content-Length: 0\r\n\r\n"));
}

TEST(LocalLink, PutsAnAnswerTogetherFromPieces) {
  Peer peer;
  LocalLink link(peer.path());
  ASSERT_TRUE(link.Ask("GET", "/"));
  peer.Accept();
  const std::string whole = kYes;
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    peer.Write(whole.substr(i, 1));
    ASSERT_FALSE(link.Receive()) << i;
  }
  peer.Write(whole.substr(whole.size() - 1));
  EXPECT_EQ((*link.Receive())->body, "yes");
}

TEST(LocalLink, NobodyThereIsToldWithThePathAndNothingWasAsked) {
  LocalLink link("/nonexistent/s");
  const auto asked = link.Ask("GET", "/");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, ErrorCode::kNotSent);
  EXPECT_THAT(asked.error().message, HasSubstr("/nonexistent/s"));
  EXPECT_THAT(asked.error().message, EndsWith("with --control-socket"));
  EXPECT_FALSE(link.waiting());
  EXPECT_FALSE(LocalLink(std::string(200, 'x')).Ask("GET", "/"));
}

TEST(HowToReach, IsSaidOnlyWhereItIsTheWayOut) {
  const auto how = [](std::errc error, const char* flag) {
    return HowToReach(std::make_error_code(error), flag);
  };
  using enum std::errc;
  EXPECT_THAT(how(no_such_file_or_directory, "--socket"),
              AllOf(StartsWith("; start `tenure run`"), EndsWith("--socket")));
  EXPECT_EQ(how(connection_refused, "--port"),
            how(no_such_file_or_directory, "--port"));
  EXPECT_THAT(how(permission_denied, "--socket"), HasSubstr("sidecar's user"));
  EXPECT_EQ(how(timed_out, "--socket"), "");
  EXPECT_EQ(HowToReach({}, "--socket"), "");
  EXPECT_EQ(how(no_such_file_or_directory, ""), "");
}

TEST(LocalLink, AConnectionClosedBetweenQuestionsIsMadeAgain) {
  Peer peer;
  LocalLink link(peer.path());
  ASSERT_TRUE(link.Ask("GET", "/"));
  peer.Accept();
  peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(link.Receive());
  peer.Hang();
  ASSERT_TRUE(link.Ask("GET", "/again"));
  peer.Accept();
  EXPECT_THAT(peer.Read(), StartsWith("GET /again"));
}

TEST(LocalLink, WhatIsNoAnswerEndsTheConnection) {
  for (const char* text :
       {"HTTP/1.0 200 OK\r\n\r\n", "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"}) {
    Peer peer;
    LocalLink link(peer.path());
    ASSERT_TRUE(link.Ask("GET", "/"));
    peer.Accept();
    peer.Write(text);
    auto answer = link.Receive();
    if (!answer) {  // more was promised than is taken
      peer.Hang();
      answer = link.Receive();
    }
    ASSERT_TRUE(answer) << text;
    EXPECT_FALSE(*answer) << text;
    EXPECT_EQ(link.fd(), -1) << text;
  }
}

TEST(LocalLink, AnEndlessHeadIsGivenUp) {
  Peer peer;
  LocalLink link(peer.path());
  ASSERT_TRUE(link.Ask("GET", "/"));
  peer.Accept();
  const std::string piece(32 * 1024, 'x');
  peer.Write(piece);
  EXPECT_FALSE(link.Receive());
  peer.Write(piece);
  peer.Write("x");
  const auto answer = link.Receive();
  ASSERT_TRUE(answer);
  EXPECT_FALSE(*answer);
}

TEST(EventFeed, StaysOpenOnEventsAndClosesOnARefusal) {
  Peer peer;
  EventFeed feed(peer.path());
  feed.Open("/v1/watch");
  peer.Accept();
  EXPECT_THAT(peer.Read(), StartsWith("GET /v1/watch"));
  peer.Write("HTTP/1.1 200 OK\r\n\r\nevent: status\n\n");
  feed.Receive();
  EXPECT_GE(feed.fd(), 0);
  feed.Open("/v1/watch");
  peer.Accept();
  peer.Write("HTTP/1.1 503 Service Unavailable\r\n\r\n");
  feed.Receive();
  EXPECT_EQ(feed.fd(), -1);
}

}  // namespace
}  // namespace tenure
