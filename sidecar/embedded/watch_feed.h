// WatchFeed: which lines one watch sends, decided from the table's changes. No
// clock, no sockets.
//
// Thread safety: the table's thread.
// Invariants: events come in the order of their resource versions, each once;
// a Lease that starts or stops to match the selectors is ADDED or DELETED.
#ifndef TENURE_EMBEDDED_WATCH_FEED_H_
#define TENURE_EMBEDDED_WATCH_FEED_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_views.h"
#include "sidecar/embedded/request_options.h"

namespace tenure::embedded {

// Bookmarks come this often, and once this long before the end.
constexpr Duration kBookmarkInterval = std::chrono::seconds(60);
constexpr Duration kLastBookmarkBeforeEnd = std::chrono::seconds(2);

class WatchFeed {
 public:
  // Errors: what the options alone make invalid, answered as any other request.
  static ApiResult<WatchFeed> Open(const ApiRoute& route, const View& view);

  // What is known at the start: initial or missed events, or the ERROR event
  // that ends a watch from a version compacted away (`over()`).
  std::string Start(const LeaseTable& table, WallTime now);

  // One line, or empty where this watch does not see the change.
  std::string OnChange(const LeaseChange& change, WallTime now);

  // Empty unless bookmarks were asked for.
  std::string Bookmark(std::uint64_t version) const;

  bool over() const { return over_; }
  const std::string& name_space() const { return name_space_; }
  const std::string& exact_name() const { return exact_name_; }
  // Empty: the server chooses. Zero or less: end at once.
  std::optional<std::int64_t> timeout_seconds() const {
    return options_.timeout_seconds;
  }

 private:
  WatchFeed(ListOptions options, std::string name_space, const View& view);

  std::string Event(const char* type, const LeaseVersion& lease, WallTime now);
  std::string BookmarkLine(std::uint64_t version, bool initial_end) const;

  ListOptions options_;
  std::string name_space_;
  std::string exact_name_;
  View view_;
  bool over_ = false;
  bool columns_sent_ = false;
  std::uint64_t seen_ = 0;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_WATCH_FEED_H_
