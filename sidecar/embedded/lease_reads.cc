#include "sidecar/embedded/lease_reads.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_object.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_views.h"
#include "sidecar/embedded/request_options.h"

namespace tenure::embedded {
namespace {

// Where a paged list goes on: the version it was begun at, and the last name
// given out. As text: "<version>/<namespace>/<name>".
struct Continuation {
  std::uint64_t version = 0;
  LeaseTable::Key after;
};

std::string EncodeContinuation(const Continuation& at) {
  return std::to_string(at.version) + "/" + at.after.first + "/" +
         at.after.second;
}

std::optional<Continuation> DecodeContinuation(const std::string& token) {
  Continuation out;
  const char* end = token.data() + token.size();
  const auto [stop, failure] = std::from_chars(token.data(), end, out.version);
  if (failure != std::errc() || stop == end || *stop != '/')
    return std::nullopt;
  const std::string rest(stop + 1, end);
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos) return std::nullopt;
  out.after = {rest.substr(0, slash), rest.substr(slash + 1)};
  return out;
}

struct ListStart {
  std::uint64_t version = 0;
  LeaseTable::Key after;
};

ApiResult<ListStart> FindStart(const LeaseTable& table,
                               const ListOptions& options) {
  const std::uint64_t current = table.resource_version();
  if (!options.continue_token.empty()) {
    if (options.resource_version.value_or(0) != 0) {
      return std::unexpected(BadRequest(
          "specifying resource version is not allowed when using continue"));
    }
    const auto at = DecodeContinuation(options.continue_token);
    if (!at || at->version > current) {
      return std::unexpected(
          BadRequest("invalid continue token: continue key is not valid"));
    }
    return ListStart{at->version, at->after};
  }
  const std::uint64_t asked = options.resource_version.value_or(0);
  if (asked > current) return std::unexpected(FutureVersion(asked, current));
  return ListStart{options.exact ? asked : current, {}};
}

}  // namespace

ApiResult<ApiResponse> GetLease(const LeaseTable& table, const ApiRoute& route,
                                const View& view, WallTime now,
                                std::optional<std::uint64_t> stale_at) {
  const auto asked = ParseResourceVersion(route.query.Get("resourceVersion"));
  if (!asked) return std::unexpected(InternalFailure(asked.error()));
  if (asked->value_or(0) > table.resource_version()) {
    return std::unexpected(FutureVersion(**asked, table.resource_version()));
  }
  const LeaseTable::Key key{route.name_space, route.name};
  LeaseVersion lease = table.Find(key);
  if (stale_at) lease = table.FindAt(key, *stale_at).value_or(lease);
  if (lease == nullptr) return std::unexpected(NotFound(route.name));
  ApiResponse response;
  response.body = RenderLease(lease, view, now) + "\n";
  return response;
}

ApiResult<ApiResponse> ListLeases(const LeaseTable& table,
                                  const ApiRoute& route, const View& view,
                                  WallTime now,
                                  std::optional<std::uint64_t> stale_at) {
  const auto options = ParseListOptions(route.query, /*watch=*/false);
  if (!options) return std::unexpected(options.error());
  const auto start = FindStart(table, *options);
  if (!start) return std::unexpected(start.error());
  const std::uint64_t version = stale_at.value_or(start->version);
  const auto all = table.ListAt({route.name_space, start->after}, version);
  if (!all) {
    return std::unexpected(Expired(
        "The provided resource version is too old to display a "
        "consistent list result: " +
        std::to_string(version) + " (" + std::to_string(table.compacted()) +
        "). Start a new list without it."));
  }
  std::vector<LeaseVersion> matching;
  std::ranges::copy_if(
      *all, std::back_inserter(matching),
      [&options](const LeaseVersion& lease) {
        return options->selectors.Matches(lease->lease.metadata);
      });
  ListMetadata metadata{version, "", 0};
  if (options->limit != 0 && matching.size() > options->limit) {
    // kube-apiserver does not count what a selector would still match.
    if (options->selectors.SelectsAll()) {
      metadata.remaining = matching.size() - options->limit;
    }
    matching.resize(options->limit);
    const LeaseMetadata& last = matching.back()->lease.metadata;
    metadata.continue_token =
        EncodeContinuation({version, {last.name_space, last.name}});
  }
  ApiResponse response;
  response.body = RenderList(matching, metadata, view, now) + "\n";
  return response;
}

}  // namespace tenure::embedded
