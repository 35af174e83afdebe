// DriverBench: the production driver on fake ports, moved by hand.
#ifndef TENURE_TESTS_UNIT_COORDINATOR_DRIVER_BENCH_H_
#define TENURE_TESTS_UNIT_COORDINATOR_DRIVER_BENCH_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/coordinator/driver.h"
#include "tests/passing_time.h"

namespace tenure {

class FakeStore : public LeaseStore {
 public:
  void Start(const Request& request, Done done) override {
    ASSERT_FALSE(in_flight) << "S13: two requests in flight";
    in_flight = request;
    done_ = std::move(done);
    if (on_start) on_start(request);
  }
  void ReadFresh(Duration limit, FreshDone done) override {
    ++fresh_reads;
    fresh_limit = limit;
    fresh = std::move(done);
  }
  void Answer(std::expected<LeaseReply, StoreError> result) {
    const RequestDone answer{std::exchange(in_flight, std::nullopt)->id,
                             std::move(result)};
    std::exchange(done_, nullptr)(answer);
  }

  std::optional<Request> in_flight;
  std::function<void(const Request&)> on_start;
  int fresh_reads = 0;
  Duration fresh_limit{0};
  FreshDone fresh;

 private:
  Done done_;
};

class FakeWatch : public LeaseWatch {
 public:
  void Start(std::string resource_version, Sink events) override {
    started_from.push_back(std::move(resource_version));
    sink = std::move(events);
  }
  void Stop() override { sink = nullptr; }
  bool open() const { return sink != nullptr; }

  std::vector<std::string> started_from;
  Sink sink;
};

class FakeRecorder : public Recorder {
 public:
  void OnTransition(const std::string& lease, const Transition& transition,
                    const AuthoritySnapshot&, const Moment&) override {
    transitions.emplace_back(lease, transition.kind);
    if (on_transition) on_transition(transition);
  }
  void OnRequest(const std::string&, RequestKind kind,
                 const std::optional<StoreError>& error,
                 Duration round_trip) override {
    requests.emplace_back(kind, error ? error->code : ErrorCode::kInternal);
    last_round_trip = round_trip;
  }
  std::function<void(const Transition&)> on_transition;
  std::vector<std::pair<std::string, Transition::Kind>> transitions;
  std::vector<std::pair<RequestKind, ErrorCode>> requests;
  Duration last_round_trip{0};
};

class DriverBench {
 public:
  explicit DriverBench(std::vector<std::string> names = {"a"},
                       LeaseSetPolicy policy = LeaseSetPolicy::kAll,
                       bool with_watch = true,
                       const std::string& preset = "default")
      : board(names), stores(names.size()), watches(names.size()) {
    now.instant = Instant{std::chrono::hours(2), std::chrono::hours(1)};
    now.wall.since_epoch = std::chrono::hours(24 * 365 * 56);
    std::vector<DriverLease> leases;
    for (std::size_t i = 0; i < names.size(); ++i) {
      DriverLease lease;
      lease.name = names[i];
      lease.options.identity = "me";
      lease.options.times = *TimesForPreset(preset);
      lease.store = &stores[i];
      lease.watch = with_watch ? &watches[i] : nullptr;
      leases.push_back(std::move(lease));
    }
    driver = std::make_unique<Driver>(
        std::move(leases), policy, 0, &board, &recorder,
        Driver::Environment{[this] { return now; },
                            [this] { return Entropy{1, ++entropy}; },
                            [this] { ++wakes; }});
  }

  void Pass(Duration by) { PassTime(&now, by); }
  Duration Pump() { return driver->Pump(); }

  static LeaseRecord Free(const std::string& version = "10") {
    LeaseRecord record;
    record.uid = "u";
    record.resource_version = version;
    record.duration_seconds = 1;
    return record;
  }
  static LeaseRecord HeldBy(const std::string& holder,
                            const std::string& version = "10") {
    LeaseRecord record = Free(version);
    record.holder = holder;
    record.duration_seconds = 15;
    return record;
  }

  // Answers lease `i`'s request as a server with `record` would.
  void AnswerRead(std::size_t i, LeaseRecord record) {
    Pass(std::chrono::milliseconds(5));
    stores[i].Answer(LeaseReply{false, std::move(record)});
    Pump();
  }
  // Answers a write as applied.
  void AnswerWrite(std::size_t i) {
    AnswerRead(i, Applied(stores[i].in_flight->write));
  }
  static LeaseRecord Applied(const LeaseWrite& write) {
    LeaseRecord record;
    record.uid = write.uid;
    record.resource_version =
        std::to_string(std::stoll(write.resource_version) + 1);
    record.holder = write.holder;
    record.duration_seconds = write.duration_seconds;
    record.renew_time = write.renew_time;
    if (write.generation) {
      record.generation = std::to_string(*write.generation);
    }
    record.write = write.write;
    return record;
  }
  void Acquire(std::size_t i) {
    Pump();
    AnswerRead(i, Free());
    AnswerWrite(i);
  }
  CertaintyAnswer Ask(std::size_t i = 0) {
    return CertaintyAt(*board.Read(i), now);
  }
  std::optional<RequestKind> InFlight(std::size_t i = 0) const {
    return stores[i].in_flight ? std::optional(stores[i].in_flight->kind)
                               : std::nullopt;
  }

  Moment now;
  std::uint64_t entropy = 0;
  int wakes = 0;
  SnapshotBoard board;
  FakeRecorder recorder;
  std::vector<FakeStore> stores;
  std::vector<FakeWatch> watches;
  std::unique_ptr<Driver> driver;
};

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_COORDINATOR_DRIVER_BENCH_H_
