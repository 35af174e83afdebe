// What a reader sends to the local listeners.
#include <string>
#include <vector>

#include "sidecar/authority/generation.h"
#include "sidecar/server/http_message.h"
#include "sidecar/server/limits.h"
#include "sidecar/server/request_parser.h"
#include "sidecar/server/routes.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/targets.h"

namespace tenure::fuzz {
namespace {

struct Parsed {
  HttpRequest request;
  RequestParser::Progress progress;
  std::size_t consumed = 0;
};

// As a connection does it: what was not consumed is put again with what came
// after it.
Parsed ParseInPieces(std::string_view bytes, std::size_t piece) {
  Parsed parsed;
  RequestParser parser;
  parser.Begin(&parsed.request);
  std::size_t end = 0;
  while (parsed.progress.state == RequestParser::State::kMore &&
         end < bytes.size()) {
    end = std::min(end + piece, bytes.size());
    const std::string_view given =
        bytes.substr(parsed.consumed, end - parsed.consumed);
    parsed.progress = parser.Put(given);
    Expect(parsed.progress.consumed <= given.size(),
           "no more is consumed than was put");
    parsed.consumed += parsed.progress.consumed;
  }
  return parsed;
}

bool Same(const HttpRequest& a, const HttpRequest& b) {
  return a.method == b.method && a.target == b.target && a.accept == b.accept &&
         a.host == b.host && a.body == b.body &&
         a.host_fields == b.host_fields && a.http11 == b.http11 &&
         a.keep_alive == b.keep_alive && a.has_origin == b.has_origin &&
         a.expects_continue == b.expects_continue &&
         a.expects_other == b.expects_other;
}

bool IsControl(Route route) {
  return route == Route::kWork || route == Route::kDone ||
         route == Route::kRelease || route == Route::kRun ||
         route == Route::kFloor;
}

bool IsProbe(Route route) {
  return route == Route::kStartup || route == Route::kLive ||
         route == Route::kReady || route == Route::kMetrics;
}

void ExpectRefusal(const HttpReply& reply) {
  Expect(reply.status >= 400 && reply.status < 500, "a refusal is a 4xx",
         reply.body);
  Expect(reply.body.ends_with('\n'), "a body ends with a newline", reply.body);
  ExpectOneLine(std::string_view(reply.body).substr(0, reply.body.size() - 1));
  Expect((reply.status == 405) == (reply.allow != nullptr),
         "405 names what is allowed");
}

void ExpectPlan(const Plan& plan, const HttpRequest& request, Surface surface,
                std::size_t leases) {
  Expect(surface == Surface::kControl || !IsControl(plan.route),
         "S10: only the control socket takes control requests");
  Expect((surface == Surface::kProbe) == IsProbe(plan.route),
         "probes are answered on the probe port alone");
  Expect(!request.has_origin, "no browser is answered");
  Expect(request.host_fields == 1 || !request.http11, "one Host");
  Expect(!plan.lease || *plan.lease < leases, "a lease that there is");
  Expect(plan.generation >= 0 && plan.generation <= kMaxGeneration,
         "a generation within its range");
  Expect(!IsControl(plan.route) ||
             ((plan.generation > 0 || plan.route == Route::kFloor) &&
              request.method == Method::kPost && plan.lease),
         "a control request is a POST with lease and generation");
  Expect(NeedsLoop(plan) == (plan.fresh || IsControl(plan.route)),
         "only what must waits for the loop");
}

}  // namespace

// The first byte says how the rest is cut into pieces.
void LocalHttp(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t piece = 1 + static_cast<unsigned char>(bytes[0]) % 64;
  bytes.remove_prefix(1);
  if (bytes.size() > kMaxHeaderBytes) return;  // more than a buffer holds
  const Parsed whole = ParseInPieces(bytes, bytes.size());
  const Parsed pieces = ParseInPieces(bytes, piece);
  // Cut, a header that is bad and has no end is refused when it ends.
  const bool refused_later =
      whole.progress.state == RequestParser::State::kBad &&
      pieces.progress.state == RequestParser::State::kMore &&
      ParseInPieces(std::string(bytes) + "\r\n\r\n", piece).progress.state ==
          RequestParser::State::kBad;
  Expect(refused_later || whole.progress.state == pieces.progress.state,
         "how the bytes are cut does not change the outcome");
  const HttpRequest& request = whole.request;
  Expect(request.body.size() <= kMaxBodyBytes, "a body is bounded");
  if (whole.progress.state == RequestParser::State::kBad) {
    ExpectOneLine(whole.progress.message);
    Expect(whole.progress.status >= 400, "what is bad has a status");
  }
  if (whole.progress.state != RequestParser::State::kDone) return;
  Expect(Same(request, pieces.request), "nor the request");
  Expect(whole.consumed == pieces.consumed, "nor where it ends");
  const std::vector<std::string> one{"billing"};
  const std::vector<std::string> several{"billing", "reports"};
  for (const Surface surface : {Surface::kStatusUnix, Surface::kStatusTcp,
                                Surface::kControl, Surface::kProbe}) {
    for (const auto* leases : {&one, &several}) {
      const auto plan = Resolve(request, surface, *leases);
      if (plan) {
        ExpectPlan(*plan, request, surface, leases->size());
      } else {
        ExpectRefusal(plan.error());
      }
    }
  }
}

}  // namespace tenure::fuzz
