// RequestParser: bytes to HttpRequest, one request at a time, by Beast's
// parser. Views nothing after Put returns and allocates nothing per request.
//
// Thread safety: one thread at a time.
#ifndef TENURE_SERVER_REQUEST_PARSER_H_
#define TENURE_SERVER_REQUEST_PARSER_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "sidecar/server/http_message.h"

namespace tenure {

class RequestParser {
 public:
  enum class State { kMore, kDone, kBad };

  struct Progress {
    State state = State::kMore;
    std::size_t consumed = 0;  // bytes the caller may drop
    bool header_done = false;  // the body is what is missing
    int status = 0;            // with kBad: 400, 413, 431, 505
    const char* message = "";  // with kBad: one line
  };

  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Forgets the last request. `request` is cleared and filled by Put; it must
  // outlive that.
  void Begin(HttpRequest* request);

  // `bytes` begin where the last call stopped consuming. A header is consumed
  // whole or not at all, so one that never ends fills the caller's buffer of
  // kMaxHeaderBytes and is then refused.
  Progress Put(std::string_view bytes);

 private:
  class BeastParser;
  std::unique_ptr<BeastParser> parser_;
};

}  // namespace tenure

#endif  // TENURE_SERVER_REQUEST_PARSER_H_
