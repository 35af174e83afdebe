#include "sidecar/server/routes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sidecar/authority/generation.h"
#include "sidecar/authority/run_id.h"
#include "sidecar/server/accept_header.h"
#include "sidecar/server/documents.h"
#include "sidecar/server/query.h"
#include "sidecar/server/request_target.h"

namespace tenure {
namespace {

using Refusal = std::unexpected<HttpReply>;

enum class Where { kStatus, kControl, kProbe };

struct RouteEntry {
  std::string_view path;
  Route route;
  Where where;
  bool post;  // POST; else GET and HEAD
  // What the query may hold. Of probes anything: what asks them is often not
  // ours to set, and a refusal would end pods.
  std::string_view parameters;
};

constexpr std::array<RouteEntry, 13> kRoutes = {{
    {"/v1/generation", Route::kGeneration, Where::kStatus, false, "lease"},
    {"/v1/status", Route::kStatus, Where::kStatus, false, "lease"},
    {"/v1/check", Route::kCheck, Where::kStatus, false,
     "generation, fresh, lease"},
    {"/v1/watch", Route::kWatch, Where::kStatus, false, "lease"},
    {"/v1/work", Route::kWork, Where::kControl, true,
     "generation, lease, run, by"},
    {"/v1/done", Route::kDone, Where::kControl, true,
     "generation, lease, run, by"},
    {"/v1/release", Route::kRelease, Where::kControl, true,
     "generation, lease"},
    {"/v1/run", Route::kRun, Where::kControl, true, "generation, lease, run"},
    {"/v1/floor", Route::kFloor, Where::kControl, true,
     "floor, generation, lease"},
    {"/startupz", Route::kStartup, Where::kProbe, false, ""},
    {"/livez", Route::kLive, Where::kProbe, false, ""},
    {"/readyz", Route::kReady, Where::kProbe, false, ""},
    {"/metrics", Route::kMetrics, Where::kProbe, false, ""},
}};

bool Serves(Surface surface, Where where) {
  switch (surface) {
    case Surface::kStatusUnix:
    case Surface::kStatusTcp:
      return where == Where::kStatus;
    case Surface::kControl:
      return where != Where::kProbe;
    case Surface::kProbe:
      return where == Where::kProbe;
  }
  return false;
}

const char* ListenerName(Where where) {
  switch (where) {
    case Where::kStatus:
      return "the status socket and port";
    case Where::kControl:
      return "the control socket";
    case Where::kProbe:
      return "the probe port";
  }
  return "";
}

Refusal Refuse(int status, bool json, std::string text) {
  HttpReply reply;
  SetError(status, json, std::move(text), &reply);
  return Refusal(std::move(reply));
}

std::string Quoted(std::string_view text) {
  return '"' + std::string(text.substr(0, 100)) + '"';
}

// Whether `host` may be what a request to `surface` names. A page in a browser
// can ask loopback and pods under any name that resolves to them; a Unix socket
// it cannot reach.
bool IsKnownHost(std::string_view host, Surface surface) {
  if (surface == Surface::kStatusTcp) return IsLoopbackHost(host);
  return surface != Surface::kProbe || IsAddressHost(host);
}

std::optional<HttpReply> RefuseSender(const HttpRequest& request,
                                      std::string_view host, Surface surface,
                                      bool json) {
  HttpReply reply;
  if (request.host_fields > 1 || (request.http11 && request.host_fields == 0)) {
    SetError(400, json,
             "expected one Host header, found " +
                 std::to_string(request.host_fields),
             &reply);
  } else if (request.has_origin) {
    SetError(403, json,
             "requests with an Origin header come from browsers and are "
             "refused",
             &reply);
  } else if (!(host.empty() && request.host_fields == 0) &&
             !IsKnownHost(host, surface)) {
    SetError(403, json,
             std::string(surface == Surface::kProbe
                             ? "expected Host localhost or an address, found "
                             : "expected Host localhost, 127.0.0.1 or [::1], "
                               "found ") +
                 Quoted(host),
             &reply);
  } else if (request.expects_other) {
    SetError(417, json, "the only expectation met is 100-continue", &reply);
  } else {
    return std::nullopt;
  }
  return reply;
}

Refusal UnknownPath(std::string_view path, Surface surface, bool json) {
  for (const RouteEntry& entry : kRoutes) {
    if (entry.path == path) {
      return Refuse(404, json,
                    std::string(path) + " is served on " +
                        ListenerName(entry.where) + ", not here");
    }
  }
  std::string text = "no route " + Quoted(path) + "; here are";
  for (const RouteEntry& entry : kRoutes) {
    if (!Serves(surface, entry.where)) continue;
    text += entry.post ? " POST " : " GET ";
    text += entry.path;
  }
  return Refuse(404, json, std::move(text));
}

Refusal WrongMethod(const RouteEntry& entry, bool json) {
  Refusal refusal =
      Refuse(405, json,
             "expected " + std::string(entry.post ? "POST" : "GET or HEAD") +
                 " for " + std::string(entry.path));
  refusal.error().allow = entry.post ? "POST" : "GET, HEAD";
  return refusal;
}

// The first in the query that the route does not know; "": none.
std::string_view UnknownParameter(std::string_view query,
                                  std::string_view known) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::string_view name = pair.substr(0, pair.find('='));
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    std::string_view rest = known;
    bool found = false;
    while (!found && !rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      found = rest.substr(0, comma) == name;
      rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    if (!found) return name.empty() ? pair : name;
  }
  return "";
}

// Misspelt, it would be as if it were not there.
std::optional<HttpReply> RefuseParameter(const RouteEntry& entry,
                                         Surface surface,
                                         std::string_view query, bool json) {
  // Whoever carries out a run tells the control socket while asking.
  const bool keeps =
      entry.route == Route::kStatus && surface == Surface::kControl;
  const std::string_view known = keeps ? "lease, run, by" : entry.parameters;
  const std::string_view unknown = UnknownParameter(query, known);
  if (unknown.empty()) return std::nullopt;
  HttpReply reply;
  SetError(400, json,
           "no parameter " + Quoted(unknown) + " of " +
               std::string(entry.path) + "; there are: " + std::string(known),
           &reply);
  return reply;
}

std::string Listed(const std::vector<std::string>& leases) {
  std::string text;
  for (const std::string& lease : leases) {
    text += (text.empty() ? "" : ", ") + lease;
  }
  return text;
}

std::expected<std::optional<std::size_t>, HttpReply> FindLease(
    Route route, std::string_view query, bool json,
    const std::vector<std::string>& leases, std::optional<std::size_t> slot) {
  const Result<std::optional<std::string>> name = QueryValue(query, "lease");
  if (!name) return Refuse(400, json, name.error().message);
  if (name->has_value()) {
    for (std::size_t i = 0; i < leases.size(); ++i) {
      if (leases[i] == **name) return i;
    }
    return Refuse(404, json,
                  "no lease " + Quoted(**name) +
                      " in this sidecar; here are: " + Listed(leases));
  }
  if (leases.size() == 1) return 0;
  if (route == Route::kStatus) return std::nullopt;
  // A stream outlives the slot that is held when it opens, so it names one.
  if (slot.has_value() && route != Route::kWatch) return *slot;
  return Refuse(400, json,
                "expected ?lease=NAME, for this sidecar has several leases: " +
                    Listed(leases));
}

// The number a route needs: in the query, or in the JSON body of a POST.
std::expected<std::int64_t, HttpReply> FindNumber(Route route,
                                                  const HttpRequest& request,
                                                  std::string_view query,
                                                  bool json) {
  const char* const key = route == Route::kFloor ? "floor" : "generation";
  Result<std::optional<std::string>> text = QueryValue(query, key);
  if (text && !text->has_value() && route == Route::kFloor) {
    text = QueryValue(query, "generation");
  }
  if (!text) return Refuse(400, json, text.error().message);
  if (!request.body.empty() && route != Route::kCheck) {
    if (text->has_value()) {
      return Refuse(400, json,
                    std::string("expected ") + key +
                        " in the query or in the body, found both");
    }
    Result<std::string> field = BodyField(request.body, key);
    if (!field && route == Route::kFloor) {
      Result<std::string> other = BodyField(request.body, "generation");
      if (other) field = std::move(other);
    }
    if (!field) return Refuse(400, json, field.error().message);
    *text = *std::move(field);
  }
  if (!text->has_value()) {
    return Refuse(400, json,
                  std::string("expected ?") + key + "=N" +
                      (route == Route::kCheck ? "" : " or a JSON body") +
                      ", found neither");
  }
  const Result<std::int64_t> number =
      route == Route::kFloor ? ParseFloor(**text) : ParseGeneration(**text);
  if (!number) return Refuse(400, json, number.error().message);
  return *number;
}

// In the query, or in the JSON body beside the generation.
Result<std::string> FindRunText(const HttpRequest& request,
                                std::string_view query, std::string_view key) {
  Result<std::optional<std::string>> text = QueryValue(query, key);
  if (text && !text->has_value() && !request.body.empty()) {
    text = OptionalBodyField(request.body, key);
  }
  if (!text) return std::unexpected(text.error());
  return std::move(*text).value_or("");
}

// The run that is recorded, or that a work carries out; that may be none.
Result<WorkRun> FindRun(Route route, const HttpRequest& request,
                        std::string_view query) {
  Result<std::string> id = FindRunText(request, query, "run");
  if (!id) return std::unexpected(id.error());
  if (route == Route::kRun) {
    if (const Result<void> ok = CheckRunId(*id); !ok) {
      return std::unexpected(ok.error());
    }
    return WorkRun{*std::move(id), ""};
  }
  Result<std::string> by = FindRunText(request, query, "by");
  if (!by) return std::unexpected(by.error());
  if (id->empty() && by->empty()) return WorkRun{};
  if (const Result<void> ok = CheckRunId(*id); !ok) {
    return std::unexpected(ok.error());
  }
  if (const Result<void> ok = CheckRunId(*by); !ok) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "by, which tells two starts of one run apart: " + ok.error().message);
  }
  return WorkRun{*std::move(id), *std::move(by)};
}

// Whether the question can name a run.
bool TakesRun(Route route, Surface surface) {
  return route == Route::kRun || route == Route::kWork ||
         route == Route::kDone ||
         (route == Route::kStatus && surface == Surface::kControl);
}

bool NeedsNumber(Route route) {
  return route == Route::kCheck || route == Route::kWork ||
         route == Route::kDone || route == Route::kRelease ||
         route == Route::kRun || route == Route::kFloor;
}

}  // namespace

const char* RouteName(Route route) {
  for (const RouteEntry& entry : kRoutes) {
    if (entry.route == route) {
      return entry.path.data() + entry.path.rfind('/') + 1;
    }
  }
  return "";
}

bool NeedsLoop(const Plan& plan) {
  return plan.fresh || plan.route == Route::kWork ||
         plan.route == Route::kDone || plan.route == Route::kRelease ||
         plan.route == Route::kRun || plan.route == Route::kFloor;
}

std::expected<Plan, HttpReply> Resolve(const HttpRequest& request,
                                       Surface surface,
                                       const std::vector<std::string>& leases,
                                       std::optional<std::size_t> slot) {
  Plan plan;
  plan.json = PrefersJson(request.accept);
  const RequestTarget target = ParseTarget(request.target, request.host);
  if (std::optional<HttpReply> refusal =
          RefuseSender(request, target.host, surface, plan.json)) {
    return Refusal(*std::move(refusal));
  }
  const std::string_view path = target.path;
  const std::string_view query = target.query;
  const RouteEntry* entry = nullptr;
  for (const RouteEntry& candidate : kRoutes) {
    if (candidate.path == path && Serves(surface, candidate.where)) {
      entry = &candidate;
      break;
    }
  }
  if (entry == nullptr) return UnknownPath(path, surface, plan.json);
  if (entry->post != (request.method == Method::kPost) ||
      request.method == Method::kOther) {
    return WrongMethod(*entry, plan.json);
  }
  plan.route = entry->route;
  if (entry->where == Where::kProbe) {
    plan.open_metrics =
        entry->route == Route::kMetrics && PrefersOpenMetrics(request.accept);
    return plan;
  }
  if (std::optional<HttpReply> refusal =
          RefuseParameter(*entry, surface, query, plan.json)) {
    return Refusal(*std::move(refusal));
  }
  auto lease = FindLease(plan.route, query, plan.json, leases, slot);
  if (!lease) return Refusal(std::move(lease.error()));
  plan.lease = *lease;
  if (NeedsNumber(plan.route)) {
    auto number = FindNumber(plan.route, request, query, plan.json);
    if (!number) return Refusal(std::move(number.error()));
    plan.generation = *number;
  }
  if (TakesRun(plan.route, surface)) {
    Result<WorkRun> run = FindRun(plan.route, request, query);
    if (!run) return Refuse(400, plan.json, run.error().message);
    plan.run = *std::move(run);
  }
  if (plan.route == Route::kCheck) {
    const Result<bool> fresh = QueryFlag(query, "fresh");
    if (!fresh) return Refuse(400, plan.json, fresh.error().message);
    plan.fresh = *fresh;
  }
  return plan;
}

}  // namespace tenure
