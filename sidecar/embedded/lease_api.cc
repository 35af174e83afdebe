#include "sidecar/embedded/lease_api.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/discovery.h"
#include "sidecar/embedded/lease_deletes.h"
#include "sidecar/embedded/lease_reads.h"
#include "sidecar/embedded/lease_views.h"
#include "sidecar/embedded/lease_writes.h"
#include "sidecar/embedded/request_options.h"
#include "sidecar/embedded/watch_feed.h"

namespace tenure::embedded {
namespace {

ApiResponse NoSuchPage() {
  ApiResponse response;
  response.code = 404;
  response.content_type = "text/plain; charset=utf-8";
  response.body = "404 page not found\n";
  return response;
}

LeaseApi::Answer Unwrap(ApiResult<ApiResponse> result) {
  if (result) return std::move(*result);
  return ToResponse(result.error());
}

}  // namespace

LeaseApi::Answer LeaseApi::Handle(const ApiRequest& request,
                                  const ApiRoute& route,
                                  const RequestContext& context,
                                  std::optional<std::uint64_t> stale_at) {
  try {
    return Dispatch(request, route, context, stale_at);
  } catch (const std::exception& failure) {
    // S12: whatever a client sent, the process lives.
    return ToResponse(InternalFailure(failure.what()));
  }
}

LeaseApi::Answer LeaseApi::Dispatch(const ApiRequest& request,
                                    const ApiRoute& route,
                                    const RequestContext& context,
                                    std::optional<std::uint64_t> stale_at) {
  if (route.resource == Resource::kNoSuchResource) {
    return ToResponse(NoSuchResource());
  }
  if (route.resource != Resource::kLease &&
      route.resource != Resource::kLeases) {
    auto document = Describe(route.resource);
    if (!document) return NoSuchPage();
    if (route.verb != Verb::kGet) return ToResponse(MethodNotAllowed());
    return std::move(*document);
  }
  if (route.verb == Verb::kNotAllowed) return ToResponse(MethodNotAllowed());
  if (const auto wrong = CheckTimeout(route.query)) return ToResponse(*wrong);
  const auto view =
      ChooseView(request.accept, route.query.Get("includeObject"));
  if (!view) return ToResponse(view.error());
  const WriteRequest write{request, route, *view, context};
  switch (route.verb) {
    case Verb::kGet:
      return Unwrap(GetLease(table_, route, *view, context.now, stale_at));
    case Verb::kList:
      return Unwrap(ListLeases(table_, route, *view, context.now, stale_at));
    case Verb::kWatch: {
      auto feed = WatchFeed::Open(route, *view);
      if (!feed) return ToResponse(feed.error());
      return std::move(*feed);
    }
    case Verb::kCreate:
      return Unwrap(CreateLease(table_, write));
    case Verb::kUpdate:
      return Unwrap(UpdateLease(table_, write));
    case Verb::kPatch:
      return Unwrap(PatchLease(table_, write));
    case Verb::kDelete:
      return Unwrap(DeleteLease(table_, request, route, *view, context.now));
    case Verb::kDeleteCollection:
      return Unwrap(DeleteLeases(table_, request, route, *view, context.now));
    case Verb::kNotAllowed:
      break;
  }
  return ToResponse(MethodNotAllowed());
}

}  // namespace tenure::embedded
