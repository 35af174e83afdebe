#include "sidecar/server/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenure {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Bytes(const HttpReply& reply, bool with_body, bool keep_alive,
                  bool http11) {
  std::string bytes;
  Serialize(reply, with_body, keep_alive, http11, &bytes);
  return bytes;
}

HttpReply Text(const std::string& body) {
  HttpReply reply;
  reply.body = body;
  return reply;
}

TEST(HttpMessage, SerializesAWholeReply) {
  EXPECT_EQ(Bytes(Text("12\n"), true, true, true),
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Cache-Control: no-store\r\n"
            "Content-Length: 3\r\n\r\n12\n");
}

TEST(HttpMessage, HeadNamesTheLengthAndSendsNoBody) {
  const std::string bytes = Bytes(Text("12\n"), false, true, true);
  EXPECT_THAT(bytes, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_THAT(bytes, EndsWith("\r\n\r\n"));
}

TEST(HttpMessage, SaysWhetherTheConnectionGoesOn) {
  const HttpReply reply = Text("");
  EXPECT_THAT(Bytes(reply, true, true, true), Not(HasSubstr("Connection:")));
  EXPECT_THAT(Bytes(reply, true, false, true),
              HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(Bytes(reply, true, true, false),
              HasSubstr("Connection: keep-alive\r\n"));
  EXPECT_THAT(Bytes(reply, true, false, false),
              HasSubstr("Connection: close\r\n"));
}

TEST(HttpMessage, EveryStatusInUseHasItsOwnLine) {
  for (const int status :
       {200, 400, 403, 404, 405, 408, 409, 413, 417, 431, 500, 503, 505}) {
    HttpReply reply;
    reply.status = status;
    EXPECT_THAT(Bytes(reply, true, true, true),
                StartsWith("HTTP/1.1 " + std::to_string(status) + " "));
  }
}

TEST(HttpMessage, NamesContentTypesAsPrometheusNeedsThem) {
  HttpReply reply;
  reply.type = ContentType::kMetricsText;
  EXPECT_THAT(
      Bytes(reply, true, true, true),
      HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  reply.type = ContentType::kOpenMetrics;
  EXPECT_THAT(Bytes(reply, true, true, true),
              HasSubstr("Content-Type: application/openmetrics-text; "
                        "version=1.0.0; charset=utf-8\r\n"));
  reply.type = ContentType::kJson;
  EXPECT_THAT(Bytes(reply, true, true, true),
              HasSubstr("Content-Type: application/json\r\n"));
}

TEST(HttpMessage, AnEventStreamHasNoLengthAndEndsWithItsConnection) {
  const std::string head = EventStreamHead();
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
}

TEST(HttpMessage, AnErrorIsOneLineWhateverItQuotes) {
  HttpReply reply;
  SetError(400, false, "a\r\nSet-Cookie: b\x01\x7f", &reply);
  EXPECT_EQ(reply.body, "a  Set-Cookie: b  \n");
  SetError(400, true, "a\n\"b\xff", &reply);
  EXPECT_EQ(reply.type, ContentType::kJson);
  EXPECT_EQ(reply.body, "{\"error\":\"a\\n\\\"b\xEF\xBF\xBD\"}\n");
}

TEST(HttpMessage, AClearedRequestKeepsNothing) {
  HttpRequest request;
  request.target.assign(8'000, 'x');
  request.has_origin = true;
  request.host_fields = 3;
  request.keep_alive = false;
  request.Clear();
  EXPECT_TRUE(request.target.empty());
  EXPECT_LT(request.target.capacity(), 1'000U);
  EXPECT_FALSE(request.has_origin);
  EXPECT_EQ(request.host_fields, 0);
  EXPECT_TRUE(request.keep_alive);
}

}  // namespace
}  // namespace tenure
