// AuthorityBench: one core on a bench, moved by hand: a clock, a Lease on a
// compare-and-swap server, and whatever becomes of each request.
#ifndef TENURE_TESTS_UNIT_AUTHORITY_AUTHORITY_BENCH_H_
#define TENURE_TESTS_UNIT_AUTHORITY_AUTHORITY_BENCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/authority/lease_authority.h"
#include "sidecar/authority/renewal_schedule.h"
#include "tests/passing_time.h"
#include "tests/sim/api_server_model.h"

namespace tenure {

class AuthorityBench {
 public:
  explicit AuthorityBench(AuthorityOptions options = Options())
      : core(options) {
    now.instant = Instant{std::chrono::hours(5), std::chrono::hours(4)};
    now.wall.since_epoch = std::chrono::hours(24 * 365 * 56);
  }

  static AuthorityOptions Options() {
    AuthorityOptions options;
    options.identity = "pod_uid_1";
    options.times = *TimesForPreset("default");
    return options;
  }

  // The release form: free at once.
  static LeaseRecord Free() {
    LeaseRecord record;
    record.duration_seconds = 1;
    return record;
  }
  static LeaseRecord HeldBy(const std::string& holder) {
    LeaseRecord record;
    record.holder = holder;
    record.duration_seconds = 15;
    return record;
  }

  void Pass(Duration by) { PassTime(&now, by); }
  Output Step(const Input& input) {
    ++entropy;
    Output output = core.Step(now, Entropy{7, entropy}, input);
    if (output.request) {
      EXPECT_FALSE(request) << "S13: two requests in flight";
      request = output.request;
    }
    transitions.insert(transitions.end(), output.transitions.begin(),
                       output.transitions.end());
    return output;
  }
  // Time passes, with a step at every deadline, as a prompt driver makes it;
  // stops early when a request leaves.
  void Run(Duration by) {
    for (int steps = 0; by > Duration{0} && !request && steps < 10'000;
         ++steps) {
      const Duration due = std::min(core.NextDeadline(now), by);
      Pass(due);
      by -= due;
      Step(Tick{});
    }
  }

  // What becomes of the request in flight.
  sim::Answer Apply() {
    return request->kind == RequestKind::kRead ? server.Get()
                                               : server.Put(request->write);
  }
  Output Answer(sim::Answer answer, Duration after = kTrip) {
    Pass(after);
    const RequestDone done{std::exchange(request, std::nullopt)->id,
                           std::move(answer)};
    return Step(done);
  }
  Output Deliver(Duration after = kTrip) { return Answer(Apply(), after); }
  // Answered as soon as it was asked for.
  Output Fresh(sim::Answer answer) {
    return Step(FreshRead{std::move(answer), now.instant});
  }
  Output FailWith(ErrorCode code, Duration after = kTrip,
                  Duration retry_after = Duration{0}) {
    return Answer(std::unexpected(StoreError{code, "as told", retry_after}),
                  after);
  }

  // From a free Lease to a term; its generation.
  std::int64_t Acquire() {
    server.CreateByHand(Free());
    Step(Tick{});
    Deliver();
    Deliver();
    EXPECT_EQ(Ask().certainty, Certainty::kHeld);
    return Ask().generation;
  }
  // A term whose renewal left.
  void StartRenewing() {
    Acquire();
    Run(std::chrono::seconds(2));
    EXPECT_EQ(InFlight(), RequestKind::kRenew);
  }

  CertaintyAnswer Ask() const { return CertaintyAt(core.Snapshot(), now); }
  Certainty Told() const { return Ask().certainty; }
  std::optional<RequestKind> InFlight() const {
    return request ? std::optional(request->kind) : std::nullopt;
  }
  int Count(Transition::Kind kind) const {
    return static_cast<int>(std::count_if(
        transitions.begin(), transitions.end(),
        [kind](const Transition& one) { return one.kind == kind; }));
  }

  static constexpr Duration kTrip = std::chrono::milliseconds(10);

  LeaseAuthority core;
  Moment now;
  sim::ApiServerModel server{99};
  std::optional<Request> request;  // in flight
  std::vector<Transition> transitions;
  std::uint64_t entropy = 0;
};

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_AUTHORITY_AUTHORITY_BENCH_H_
