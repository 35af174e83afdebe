// EventLines: server-sent events out of the bytes of a stream.
//
// Thread safety: one thread at a time.
// Invariants: holds at most kMaxEvent bytes.
#ifndef TENURE_CLI_EVENT_LINES_H_
#define TENURE_CLI_EVENT_LINES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tenure {

class EventLines {
 public:
  static constexpr std::size_t kMaxEvent = 1 << 20;

  // False if an event is longer than kMaxEvent: then nothing more is read.
  bool Add(std::string_view bytes);

  // The data of the next whole event; comments and events without data are
  // passed over.
  std::optional<std::string> Next();

 private:
  std::string unread_;
};

}  // namespace tenure

#endif  // TENURE_CLI_EVENT_LINES_H_
