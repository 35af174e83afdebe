#include "sidecar/embedded/watch_feed.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_json.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_views.h"
#include "sidecar/embedded/request_options.h"

namespace tenure::embedded {
namespace {

std::string EventLine(const char* type, const std::string& object) {
  return std::string(R"({"type":")") + type + R"(","object":)" + object + "}\n";
}

// The state before a change at the version of the change: how a Lease is shown
// that the change took out of the watch's sight.
LeaseVersion AsOf(const LeaseVersion& lease, std::uint64_t version) {
  auto out = std::make_shared<StoredLease>(*lease);
  out->resource_version = version;
  out->lease.metadata.resource_version = std::to_string(version);
  out->item_json = EncodeLeaseItem(out->lease);
  return out;
}

}  // namespace

ApiResult<WatchFeed> WatchFeed::Open(const ApiRoute& route, const View& view) {
  auto options = ParseListOptions(route.query, /*watch=*/true);
  if (!options) return std::unexpected(options.error());
  return WatchFeed(std::move(*options), route.name_space, view);
}

WatchFeed::WatchFeed(ListOptions options, std::string name_space,
                     const View& view)
    : options_(std::move(options)),
      name_space_(std::move(name_space)),
      exact_name_(options_.selectors.ExactName()),
      view_(view) {}

std::string WatchFeed::Start(const LeaseTable& table, WallTime now) {
  const std::uint64_t from = options_.resource_version.value_or(0);
  const bool initial = options_.send_initial_events.value_or(from == 0);
  if (!initial && from != 0 && from < table.compacted()) {
    over_ = true;
    ApiStatus status =
        Expired("too old resource version: " + std::to_string(from) + " (" +
                std::to_string(table.compacted()) + ")");
    std::string object = EncodeStatus(status);
    object.pop_back();  // its newline
    return EventLine("ERROR", object);
  }
  std::string out;
  if (initial) {
    for (const LeaseVersion& lease : table.List({name_space_, {}})) {
      if (options_.selectors.Matches(lease->lease.metadata)) {
        out += Event("ADDED", lease, now);
      }
    }
    if (options_.send_initial_events && options_.bookmarks) {
      out += BookmarkLine(table.resource_version(), /*initial_end=*/true);
    }
  } else if (from != 0 && from < table.resource_version()) {
    seen_ = from;
    for (const LeaseChange& change : table.ChangesSince(from)) {
      out += OnChange(change, now);
    }
  }
  // A watch from the future stays silent up to its version.
  seen_ = std::max(table.resource_version(), from);
  return out;
}

std::string WatchFeed::OnChange(const LeaseChange& change, WallTime now) {
  if (change.resource_version <= seen_) return "";
  seen_ = change.resource_version;
  const auto sees = [this](const LeaseVersion& lease) {
    return lease != nullptr &&
           (name_space_.empty() ||
            lease->lease.metadata.name_space == name_space_) &&
           options_.selectors.Matches(lease->lease.metadata);
  };
  const bool before = sees(change.previous);
  const bool after =
      change.type != ChangeType::kDeleted && sees(change.current);
  if (after) return Event(before ? "MODIFIED" : "ADDED", change.current, now);
  if (!before) return "";
  return Event("DELETED", AsOf(change.previous, change.resource_version), now);
}

std::string WatchFeed::Bookmark(std::uint64_t version) const {
  return options_.bookmarks ? BookmarkLine(std::max(version, seen_), false)
                            : "";
}

std::string WatchFeed::Event(const char* type, const LeaseVersion& lease,
                             WallTime now) {
  const bool with_columns = !std::exchange(columns_sent_, true);
  return EventLine(type, RenderLease(lease, view_, now, with_columns));
}

std::string WatchFeed::BookmarkLine(std::uint64_t version,
                                    bool initial_end) const {
  std::string metadata =
      R"({"resourceVersion":")" + std::to_string(version) + "\"";
  if (initial_end) {
    metadata += R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
  }
  return EventLine(
      "BOOKMARK",
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":)" +
          metadata + R"(},"spec":{}})");
}

}  // namespace tenure::embedded
