#include "sidecar/server/http_message.h"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "sidecar/server/documents.h"

namespace tenure {
namespace {

// A string that one large request made grow is given back after it.
constexpr std::size_t kKeptCapacity = 512;

void Empty(std::string* text) {
  if (text->capacity() > kKeptCapacity) {
    std::string().swap(*text);
  } else {
    text->clear();
  }
}

std::string_view StatusLine(int status) {
  switch (status) {
    case 200:
      return "HTTP/1.1 200 OK\r\n";
    case 400:
      return "HTTP/1.1 400 Bad Request\r\n";
    case 403:
      return "HTTP/1.1 403 Forbidden\r\n";
    case 404:
      return "HTTP/1.1 404 Not Found\r\n";
    case 405:
      return "HTTP/1.1 405 Method Not Allowed\r\n";
    case 408:
      return "HTTP/1.1 408 Request Timeout\r\n";
    case 409:
      return "HTTP/1.1 409 Conflict\r\n";
    case 413:
      return "HTTP/1.1 413 Content Too Large\r\n";
    case 417:
      return "HTTP/1.1 417 Expectation Failed\r\n";
    case 431:
      return "HTTP/1.1 431 Request Header Fields Too Large\r\n";
    case 503:
      return "HTTP/1.1 503 Service Unavailable\r\n";
    case 505:
      return "HTTP/1.1 505 HTTP Version Not Supported\r\n";
    default:
      return "HTTP/1.1 500 Internal Server Error\r\n";
  }
}

std::string_view TypeField(ContentType type) {
  switch (type) {
    case ContentType::kText:
      return "Content-Type: text/plain; charset=utf-8\r\n";
    case ContentType::kJson:
      return "Content-Type: application/json\r\n";
    case ContentType::kEventStream:
      return "Content-Type: text/event-stream\r\n";
    case ContentType::kMetricsText:
      return "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n";
    case ContentType::kOpenMetrics:
      return "Content-Type: application/openmetrics-text; version=1.0.0; "
             "charset=utf-8\r\n";
  }
  return {};
}

// An answer is good for one moment only (S1): nothing on the way may keep it.
constexpr std::string_view kNoStore = "Cache-Control: no-store\r\n";

}  // namespace

void HttpRequest::Clear() {
  method = Method::kOther;
  Empty(&target);
  Empty(&accept);
  Empty(&host);
  Empty(&body);
  host_fields = 0;
  http11 = true;
  keep_alive = true;
  has_origin = false;
  expects_continue = false;
  expects_other = false;
}

void HttpReply::Clear() {
  status = 200;
  type = ContentType::kText;
  body.clear();
  allow = nullptr;
  close = false;
}

void SetError(int status, bool json, std::string text, HttpReply* reply) {
  reply->status = status;
  if (json) {
    reply->type = ContentType::kJson;
    reply->body = ErrorJson(text);
  } else {
    reply->type = ContentType::kText;
    reply->body = std::move(text);
    for (char& c : reply->body) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
  }
  reply->body += '\n';
}

void Serialize(const HttpReply& reply, bool with_body, bool keep_alive,
               bool http11, std::string* out) {
  std::array<char, 24> length{};
  const auto end = std::to_chars(length.data(), length.data() + length.size(),
                                 reply.body.size());
  out->clear();
  out->append(StatusLine(reply.status)).append(TypeField(reply.type));
  out->append(kNoStore);
  if (reply.allow != nullptr) {
    out->append("Allow: ").append(reply.allow).append("\r\n");
  }
  if (!keep_alive) {
    out->append("Connection: close\r\n");
  } else if (!http11) {
    out->append("Connection: keep-alive\r\n");
  }
  if (reply.type != ContentType::kEventStream) {
    out->append("Content-Length: ");
    out->append(length.data(), end.ptr).append("\r\n");
  }
  out->append("\r\n");
  if (with_body) out->append(reply.body);
}

std::string EventStreamHead() {
  HttpReply reply;
  reply.type = ContentType::kEventStream;
  std::string head;
  Serialize(reply, false, false, true, &head);
  return head;
}

}  // namespace tenure
