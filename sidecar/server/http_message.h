// HttpRequest and HttpReply: one request as the routes need it, and one reply
// before it becomes bytes.
//
// Thread safety: values.
// Invariants: clearing and refilling either allocates nothing once their
// strings have grown to what ordinary requests need.
#ifndef TENURE_SERVER_HTTP_MESSAGE_H_
#define TENURE_SERVER_HTTP_MESSAGE_H_

#include <cstdint>
#include <string>

namespace tenure {

enum class Method { kGet, kHead, kPost, kOther };

struct HttpRequest {
  Method method = Method::kOther;
  std::string target;   // as received: path and query
  std::string accept;   // several fields joined by commas
  std::string host;     // the last one
  std::string body;     // at most kMaxBodyBytes
  int host_fields = 0;  // more than one is refused
  bool http11 = true;
  bool keep_alive = true;
  bool has_origin = false;
  bool expects_continue = false;
  bool expects_other = false;  // any other expectation: 417

  void Clear();
};

enum class ContentType {
  kText,
  kJson,
  kEventStream,
  kMetricsText,  // Prometheus text 0.0.4
  kOpenMetrics,  // 1.0.0
};

struct HttpReply {
  int status = 200;
  ContentType type = ContentType::kText;
  std::string body;
  const char* allow = nullptr;  // with 405
  bool close = false;           // whatever the client wished

  void Clear();
};

// One line of text, or {"error": text}; ends with a newline. `text` may hold
// anything: control characters become spaces.
void SetError(int status, bool json, std::string text, HttpReply* reply);

// Makes `out` the reply's bytes. `with_body` false: for HEAD, which names the
// body's length and does not send it.
void Serialize(const HttpReply& reply, bool with_body, bool keep_alive,
               bool http11, std::string* out);

// The head of an event stream, which ends with its connection.
std::string EventStreamHead();

}  // namespace tenure

#endif  // TENURE_SERVER_HTTP_MESSAGE_H_
