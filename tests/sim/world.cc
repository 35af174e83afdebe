#include "tests/sim/world.h"

#include <algorithm>
#include <utility>

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kBackupEvery = seconds(25);
constexpr std::size_t kBackups = 6;
// A hidden pause shorter than kWallDoubt cannot be noticed by anyone.
constexpr Duration kShortestVmPause = seconds(4);

ClockRates DrawRates(Chance& chance, std::int32_t drift_ppm) {
  // A little inside the allowance: readings are rounded.
  const std::int64_t bound = drift_ppm * 98 / 100;
  ClockRates rates;
  rates.raw_ppm = static_cast<std::int32_t>(chance.Between(-bound, bound));
  rates.boot_ppm = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      rates.raw_ppm + chance.Between(-500, 500), -bound, bound));
  return rates;
}

}  // namespace

World::World(WorldPlan plan)
    : plan_(std::move(plan)),
      scene_(plan_.seed),
      service_(&scene_, plan_.nodes, plan_.leases),
      stores_(static_cast<std::size_t>(plan_.leases)),
      backups_(static_cast<std::size_t>(plan_.leases)) {
  History& history = scene_.history;
  history.seed = plan_.seed;
  history.length = plan_.length;
  history.clocks_within_allowance = plan_.within_allowance;
  history.absent_is_taken = plan_.absent == AbsentLease::kTake;
  history.polls = !plan_.watch;
  history.clones_share_entropy = plan_.clones_share_entropy;
  history.leases = plan_.leases;
  history.times = plan_.times;
  for (int i = 0; i < plan_.nodes; ++i) {
    // One draw a statement: compilers differ in which argument they begin with.
    const ClockRates rates = DrawRates(scene_.chance, plan_.times.drift_ppm);
    history.clocks.emplace_back(
        scene_.chance.Between(seconds(100), seconds(100'000)), rates);
    scene_.Count(Fault::kClockOffset);
    scene_.Count(Fault::kDriftWithin);
    nodes_.push_back(std::make_unique<SimNode>(&scene_, &service_, &plan_, i));
    for (int lease = 0; lease < plan_.leases; ++lease) {
      workers_.push_back(std::make_unique<Worker>(
          &scene_, &service_, nodes_.back().get(),
          &stores_[static_cast<std::size_t>(lease)], &plan_, lease));
      workers_.back()->Start();
      children_.push_back(std::make_unique<Child>(
          &scene_, nodes_.back().get(), lease,
          plan_.seed * 64 + static_cast<std::uint64_t>(children_.size())));
    }
    nodes_.back()->SetOnTerm([this, i](int lease) {
      worker(i, lease).Hear();
      child(i, lease).Hear();
    });
    nodes_.back()->SetOnResume([this, i] {
      for (int lease = 0; lease < plan_.leases; ++lease) {
        child(i, lease).Resume();
      }
    });
    if (plan_.floors_reported) {
      nodes_.back()->SetOnStart([this](int node) {
        for (int lease = 0; lease < plan_.leases; ++lease) {
          worker(node, lease).ReportFloor();
        }
      });
    }
    scene_.queue.In(
        scene_.chance.LongTail(milliseconds(1), seconds(20)),
        [this, i] { nodes_[static_cast<std::size_t>(i)]->StartProcess(); });
  }
  for (int lease = 0; lease < plan_.leases; ++lease) {
    electors_.push_back(std::make_unique<ForeignElector>(
        &scene_, &service_, lease, scene_.chance.Permille(300)));
  }
  for (const PlannedFault& fault : plan_.faults) {
    scene_.queue.At(fault.at, [this, &fault] { Begin(fault); });
  }
  scene_.queue.At(plan_.quiet_from, [this] { Quieten(); });
  TakeBackups();
}

World::~World() = default;

void World::Run() { scene_.queue.RunUntil(plan_.length); }

void World::TakeBackups() {
  for (int lease = 0; lease < plan_.leases; ++lease) {
    auto& kept = backups_[static_cast<std::size_t>(lease)];
    kept.push_back(service_.lease(lease).Save());
    if (kept.size() > kBackups) kept.erase(kept.begin());
  }
  scene_.queue.In(kBackupEvery, [this] { TakeBackups(); });
}

void World::Begin(const PlannedFault& fault) {
  if (fault.kind <= Fault::kWorkUnchecked) return BeginOnNode(fault);
  if (fault.kind <= Fault::kDuplicate) return BeginOnLink(fault);
  if (fault.kind <= Fault::kWatchExpired) return BeginOnServer(fault);
  BeginByPeople(fault);
}

void World::Halt(const PlannedFault& fault, bool work_too) {
  SimNode& pod = node(fault.node);
  if (!pod.DriverRuns() || !pod.WorkRuns()) return;
  if (pod.alive()) scene_.Count(fault.kind);
  pod.Stop(work_too);
  if (fault.kind == Fault::kSuspend) pod.clock().Suspend(scene_.now());
  Later(fault, [this, &pod, &fault] {
    if (fault.kind == Fault::kSuspend) pod.clock().Resume(scene_.now());
    pod.Resume();
  });
}

void World::PauseVm(const PlannedFault& fault) {
  SimNode& pod = node(fault.node);
  if (!pod.DriverRuns() || !pod.WorkRuns()) return;
  if (pod.alive()) scene_.Count(fault.kind);
  scene_.Note(Incident::Kind::kClockUnreliable, fault.node, -1, 0);
  pod.Stop(true);
  pod.clock().PauseVm(scene_.now());
  const Duration missed = std::max(fault.lasts, kShortestVmPause);
  scene_.queue.In(missed, [this, &pod, &fault, missed] {
    pod.clock().Resume(scene_.now());
    const auto step = [this, &pod, &fault, missed] {
      pod.clock().StepWall(scene_.now(), missed);
      scene_.Note(Incident::Kind::kClockReliable, fault.node, -1, 0);
    };
    if (scene_.chance.Permille(500)) {
      step();
    } else {
      scene_.queue.In(scene_.chance.LongTail(milliseconds(100), seconds(20)),
                      step);
    }
    pod.Resume();
  });
}

void World::BeginOnNode(const PlannedFault& fault) {
  SimNode& pod = node(fault.node);
  switch (fault.kind) {
    case Fault::kSuspend:
      if (scene_.chance.Permille(500)) {
        // With a request on its way: the answer is of before the sleep.
        return pod.OnNextRequest([this, &fault] {
          if (scene_.now() + fault.lasts < plan_.quiet_from) Halt(fault, true);
        });
      }
      return Halt(fault, true);
    case Fault::kFreeze:
      return Halt(fault, true);
    case Fault::kDriverStall:
      return Halt(fault, false);
    case Fault::kVmPause:
      return PauseVm(fault);
    case Fault::kCrash:
      if (pod.alive()) scene_.Count(fault.kind);
      return pod.Crash(scene_.chance.LongTail(milliseconds(50), seconds(30)));
    case Fault::kClone: {
      SimNode& original = node((fault.node + 1) % plan_.nodes);
      if (!original.alive()) return;
      scene_.Count(fault.kind);
      return pod.BecomeCloneOf(original);
    }
    case Fault::kDrain:
      if (pod.alive()) scene_.Count(fault.kind);
      LoseAnswers(fault.node);
      return pod.Drain();
    case Fault::kWallJump:
      scene_.Count(fault.kind);
      return pod.clock().StepWall(
          scene_.now(), scene_.chance.Between(-seconds(30), seconds(30)));
    case Fault::kSlew:
    case Fault::kDriftBeyond: {
      scene_.Count(fault.kind);
      const bool slew = fault.kind == Fault::kSlew;
      const auto wild = static_cast<std::int32_t>(
          slew ? scene_.chance.Between(-100'000, 100'000)
               : scene_.chance.Between(-450'000, 450'000));
      const ClockRates usual = pod.clock().rates();
      pod.clock().SetRates(scene_.now(),
                           ClockRates{wild, slew ? usual.raw_ppm : wild});
      // Long enough for a whole lease to be measured by it.
      return scene_.queue.In(fault.lasts * 2, [this, &pod] {
        pod.clock().SetRates(scene_.now(),
                             DrawRates(scene_.chance, plan_.times.drift_ppm));
      });
    }
    case Fault::kWorkHangs:
      return worker(fault.node, fault.lease).HangOnce(fault.lasts);
    default:  // kWorkUnchecked
      return worker(fault.node, fault.lease)
          .WriteUncheckedOnce(fault.lasts + seconds(2));
  }
}

// What a release that follows is answered, often gets lost.
void World::LoseAnswers(int index) {
  if (!scene_.chance.Permille(400)) return;
  service_.link(index).reply_lost = 1000;
  scene_.queue.In(seconds(2), [this, index] { service_.link(index) = Link{}; });
}

void World::BeginOnLink(const PlannedFault& fault) {
  Link& link = service_.link(fault.node);
  Chance& chance = scene_.chance;
  switch (fault.kind) {
    case Fault::kSlowLink:
      link.one_way = chance.LongTail(milliseconds(20), milliseconds(1500));
      link.jitter = link.one_way;
      break;
    case Fault::kPartition:
      link.partitioned = true;
      break;
    case Fault::kRefused:
      link.refused = true;
      break;
    case Fault::kRequestLost:
      link.request_lost = 300;
      break;
    case Fault::kReplyLost:
      link.reply_lost = 400;
      break;
    case Fault::kReset:
      link.reset = 300;
      break;
    case Fault::kHalfOpen:
      link.half_open = true;
      break;
    case Fault::kLateWrite:
      link.request_lost = 300;
      link.late = 1000;
      break;
    default:  // kDuplicate
      link.duplicate = 300;
      break;
  }
  Later(fault, [this, &fault] {
    // Ends what else began on this link meanwhile: simpler, and as random.
    service_.link(fault.node) = Link{};
    if (scene_.chance.Permille(500)) service_.BreakWatches(fault.node);
  });
}

void World::BeginOnServer(const PlannedFault& fault) {
  ServerState& server = service_.server();
  switch (fault.kind) {
    case Fault::kThrottled:
      server.throttled = 400;
      break;
    case Fault::kServerError:
      server.error = 400;
      break;
    case Fault::kUnauthorized:
      server.unauthorized = 400;
      break;
    case Fault::kServerRestart:
      server.down = true;
      service_.BreakWatches(-1);
      break;
    case Fault::kSlowStorage:
      server.storage = scene_.chance.LongTail(milliseconds(50), seconds(5));
      break;
    case Fault::kLaggingReplica:
      server.lag[static_cast<std::size_t>(fault.node) % kReplicas] =
          scene_.chance.LongTail(milliseconds(200), seconds(20));
      break;
    case Fault::kWatchBroken:
      return service_.BreakWatches(fault.node);
    case Fault::kWatchStale:
      service_.link(fault.node).watch_lag = fault.lasts / 4;
      return Later(fault, [this, &fault] {
        service_.link(fault.node).watch_lag = Duration{0};
      });
    default:  // kWatchExpired
      service_.lease(fault.lease).Compact();
      return service_.BreakWatches(fault.node);
  }
  Later(fault, [this] { service_.server() = ServerState{}; });
}

void World::Quieten() {
  for (int i = 0; i < plan_.nodes; ++i) service_.link(i) = Link{};
  service_.server() = ServerState{};
  for (int lease = 0; lease < plan_.leases; ++lease) {
    service_.lease(lease).SetWebhook(nullptr);
    MendByHand(lease);
  }
  scene_.Note(Incident::Kind::kQuiet, -1, -1, 0);
}

}  // namespace tenure::sim
