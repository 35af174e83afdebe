#include "tests/sim/node_clock.h"

#include <chrono>

#include "sidecar/base/check.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
// 2026-01-01T00:00:00Z.
constexpr std::chrono::seconds kWallStart{1'767'225'600};

// Exact for spans up to two hours at any rate below doubling.
Duration Scale(Duration span, std::int32_t ppm) {
  return span + span * ppm / kMillion;
}

}  // namespace

NodeClock::NodeClock(Duration offset, ClockRates rates) : rates_(rates) {
  Segment first;
  first.base.instant = Instant{offset, offset / 2};
  first.base.wall.since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(kWallStart +
                                                            offset % kMillion);
  first.rates = rates;
  segments_.push_back(first);
}

Moment NodeClock::At(TrueTime time) const {
  auto segment = segments_.rbegin();
  while (segment->start > time) ++segment;
  const Duration span = time - segment->start;
  const Duration boot =
      segment->boot_runs ? Scale(span, segment->rates.boot_ppm) : Duration{0};
  const Duration raw =
      segment->raw_runs ? Scale(span, segment->rates.raw_ppm) : Duration{0};
  Moment moment = segment->base;
  moment.instant.boot += boot;
  moment.instant.raw += raw;
  moment.wall.since_epoch +=
      std::chrono::duration_cast<std::chrono::microseconds>(boot);
  return moment;
}

const Moment& NodeClock::Now(TrueTime now) {
  if (now != asked_) told_ = At(now);
  asked_ = now;
  return told_;
}

NodeClock::Segment& NodeClock::Begin(TrueTime now) {
  asked_ = TrueTime{-1};
  Segment next = segments_.back();
  next.base = At(now);
  next.start = now;
  segments_.push_back(next);
  return segments_.back();
}

void NodeClock::SetRates(TrueTime now, ClockRates rates) {
  Begin(now).rates = rates;
  rates_ = rates;
}

void NodeClock::StepWall(TrueTime now, Duration by) {
  Begin(now).base.wall.since_epoch +=
      std::chrono::duration_cast<std::chrono::microseconds>(by);
}

void NodeClock::Suspend(TrueTime now) { Begin(now).raw_runs = false; }

void NodeClock::PauseVm(TrueTime now) {
  Segment& segment = Begin(now);
  segment.boot_runs = false;
  segment.raw_runs = false;
}

void NodeClock::Resume(TrueTime now) {
  Segment& segment = Begin(now);
  segment.boot_runs = true;
  segment.raw_runs = true;
}

Duration NodeClock::TrueDelay(Duration local) const {
  CHECK(rates_.raw_ppm > -kMillion);
  // A timer beyond an hour never matters here, and the product must fit.
  const Duration bounded = std::min(local, Duration{std::chrono::hours(2)});
  return Duration{bounded.count() / (kMillion + rates_.raw_ppm) * kMillion +
                  bounded.count() % (kMillion + rates_.raw_ppm) * kMillion /
                      (kMillion + rates_.raw_ppm)} +
         Duration{1};
}

}  // namespace tenure::sim
