// The guarded writer of a contender: raises the store's token, then checks with
// its sidecar and writes, again and again, and tells the drill what it does.
// It does not stop when it is told to: its guard must kill it.
//
// Thread safety: the main thread of its process.
#ifndef TENURE_DRILL_WRITER_H_
#define TENURE_DRILL_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"
#include "sidecar/drill/store_client.h"

namespace tenure {

// The order that makes it stop between its check and its next write.
inline constexpr char kHoldOrder[] = "hold";

struct WriterOptions {
  std::string name;         // of its contender
  std::string news_socket;  // the drill's
  StoreTarget store;
  std::string resource;
  bool fenced = true;
};

// As one argument of a command line, and back.
std::string WriterOptionsText(const WriterOptions& options);
Result<WriterOptions> ReadWriterOptions(std::string_view text);

// What `tenure exec` told it.
struct WriterGrant {
  std::int64_t generation = 0;
  std::string holder;
  std::string status_socket;
};

int RunDrillWriter(const WriterOptions& options, const WriterGrant& grant);

}  // namespace tenure

#endif  // TENURE_DRILL_WRITER_H_
