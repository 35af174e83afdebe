#include "sidecar/server/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sidecar/base/prng.h"
#include "sidecar/server/limits.h"

namespace tenure {
namespace {

using ::testing::HasSubstr;
using State = RequestParser::State;

constexpr std::string_view kPost =
    "POST /v1/work?lease=a HTTP/1.1\r\nHost: localhost\r\n"
    "Accept: application/json\r\nAccept: text/plain\r\n"
    "Content-Length: 5\r\n\r\nhello";

// Feeds `text` in pieces of `step` bytes as a connection does: what is not
// consumed is given again. Returns the last progress.
RequestParser::Progress Feed(std::string_view text, std::size_t step,
                             HttpRequest* request) {
  RequestParser parser;
  parser.Begin(request);
  RequestParser::Progress progress;
  std::size_t begin = 0;
  for (std::size_t end = 0; end < text.size();) {
    end = std::min(text.size(), end + step);
    progress = parser.Put(text.substr(begin, end - begin));
    begin += progress.consumed;
    if (progress.state != State::kMore) break;
  }
  return progress;
}

TEST(RequestParser, ReadsARequestHoweverItIsCut) {
  for (std::size_t step = 1; step <= kPost.size(); ++step) {
    HttpRequest request;
    ASSERT_EQ(Feed(kPost, step, &request).state, State::kDone) << step;
    EXPECT_EQ(request.method, Method::kPost);
    EXPECT_EQ(request.target, "/v1/work?lease=a");
    EXPECT_EQ(request.host, "localhost");
    EXPECT_EQ(request.accept, "application/json,text/plain");
    EXPECT_EQ(request.body, "hello");
    EXPECT_TRUE(request.keep_alive);
  }
}

TEST(RequestParser, ConsumesOneRequestOnly) {
  RequestParser parser;
  HttpRequest request;
  const std::string two = std::string(kPost) + std::string(kPost);
  parser.Begin(&request);
  const auto progress = parser.Put(two);
  EXPECT_EQ(progress.state, State::kDone);
  EXPECT_EQ(progress.consumed, kPost.size());
}

TEST(RequestParser, JoinsChunksAndIgnoresTrailers) {
  HttpRequest request;
  const auto progress = Feed(
      "POST /v1/done HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nOrigin: http://evil\r\nHost: b\r\n\r\n",
      7, &request);
  ASSERT_EQ(progress.state, State::kDone) << progress.message;
  EXPECT_EQ(request.body, "abcde");
  EXPECT_FALSE(request.has_origin);
  EXPECT_EQ(request.host, "a");
}

TEST(RequestParser, NotesWhatTheRoutesRefuse) {
  HttpRequest request;
  Feed(
      "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\nOrigin: null\r\n"
      "Expect: 100-Continue\r\nExpect: 200-ok\r\n\r\n",
      1000, &request);
  EXPECT_EQ(request.host_fields, 2);
  EXPECT_TRUE(request.has_origin);
  EXPECT_TRUE(request.expects_continue);
  EXPECT_TRUE(request.expects_other);
  EXPECT_FALSE(request.http11);
  EXPECT_FALSE(request.keep_alive);
}

TEST(RequestParser, RefusesAHeaderOverTheLimit) {
  HttpRequest request;
  const std::string text =
      "GET / HTTP/1.1\r\nX: " + std::string(kMaxHeaderBytes, 'x') + "\r\n\r\n";
  const auto progress = Feed(text, 1024, &request);
  EXPECT_EQ(progress.state, State::kBad);
  EXPECT_EQ(progress.status, 431);
}

TEST(RequestParser, TakesAHeaderJustUnderTheLimit) {
  HttpRequest request;
  std::string text = "GET / HTTP/1.1\r\nX: \r\n\r\n";
  text.insert(19, std::string(kMaxHeaderBytes - 1 - text.size(), 'x'));
  EXPECT_EQ(Feed(text, 1024, &request).state, State::kDone);
}

TEST(RequestParser, RefusesABodyOverTheLimitHoweverItIsSent) {
  HttpRequest request;
  auto progress =
      Feed("POST / HTTP/1.1\r\nContent-Length: 4097\r\n\r\n", 1000, &request);
  EXPECT_EQ(progress.status, 413);
  std::string chunks = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 5; ++i) {
    chunks += "400\r\n" + std::string(1024, 'x') + "\r\n";
  }
  progress = Feed(chunks, 1000, &request);
  EXPECT_EQ(progress.status, 413);
  EXPECT_LE(request.body.size(), kMaxBodyBytes);
}

TEST(RequestParser, RefusesWhatIsNotHttp) {
  for (const char* text :
       {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "GET\r\n\r\n",
        "\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
        "Content-Length: 3\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"}) {
    HttpRequest request;
    const auto progress = Feed(text, 1000, &request);
    EXPECT_EQ(progress.state, State::kBad) << text;
    EXPECT_EQ(progress.status, 400) << text;
  }
  HttpRequest request;
  EXPECT_EQ(Feed("GET / HTTP/2.0\r\n\r\n", 1000, &request).status, 505);
}

TEST(RequestParser, SurvivesMutatedRequests) {
  Prng random(20'251);
  int done = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(kPost);
    for (std::uint64_t i = 0; i <= random.Below(4); ++i) {
      text[random.Below(text.size())] = static_cast<char>(random.Below(256));
    }
    HttpRequest request;
    const auto progress = Feed(text, 1 + random.Below(64), &request);
    done += progress.state == State::kDone ? 1 : 0;
    ASSERT_LE(request.body.size(), kMaxBodyBytes);
  }
  EXPECT_GT(done, 100);  // mutations inside values leave a request
}

}  // namespace
}  // namespace tenure
