#include "sidecar/drill/scripts.h"

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <span>
#include <string>

#include "sidecar/drill/event.h"
#include "sidecar/drill/opening.h"

namespace tenure {
namespace {

using Kind = DrillEventKind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Id = Result<std::string>;

constexpr Duration kThawing = seconds(30);
// How it goes on, for the picture.
constexpr Duration kAfterwards = milliseconds(600);

bool Answered(const Stage& stage, const std::string& id) {
  for (const Attempt& attempt : Attempts(stage.events())) {
    if (attempt.id == id && attempt.answered > attempt.tried) return true;
  }
  return false;
}

// The heart of most drills: the holder is stopped whole, between its check and
// its write; another takes over; then the first goes on where it was.
Id PauseAndThaw(Stage* stage,
                const std::function<Result<void>()>& once_frozen = {}) {
  const Result<FirstHolder> first = PresentHolder(stage);
  if (!first) return std::unexpected(first.error());
  Contender* const contender = first->contender;
  const std::string& who = contender->name();
  const Id id = stage->HoldWriter(contender);
  if (!id) return id;
  const pid_t writer = stage->WriterOf(who);
  const Duration frozen = stage->Now();
  stage->Freeze(contender);
  stage->Say(Kind::kFault, who,
             who +
                 " is paused between its check and its write: sidecar, "
                 "wrapper, watchdog and writer (SIGSTOP)");
  if (once_frozen) {
    if (const auto ok = once_frozen(); !ok) return std::unexpected(ok.error());
  }
  if (const auto ok = AwaitSuccessor(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = AwaitExpiry(stage, *first, frozen); !ok) {
    return std::unexpected(ok.error());
  }
  // The worst order that a scheduler may choose: its guards still sleep.
  stage->Say(Kind::kFault, who,
             who +
                 " goes on, writer first: its next step is the write that it "
                 "had checked for");
  contender->ResumeWriter(writer);
  auto ok = stage->Until("an answer of the store to the stale write", kThawing,
                         [&] { return Answered(*stage, *id); });
  if (!ok) return std::unexpected(ok.error());
  const Duration thawed = stage->Now();
  stage->ResumeGuards(contender);
  ok = stage->Until("the guard of " + who + " to kill its writer", kThawing,
                    [&] { return stage->WriterOf(who) != writer; });
  if (!ok) return std::unexpected(ok.error());
  stage->Say(Kind::kNote, who,
             "its guard woke, and killed the writer after " +
                 std::to_string(std::chrono::duration_cast<milliseconds>(
                                    stage->Now() - thawed)
                                    .count()) +
                 " ms");
  ok = stage->Wait(kAfterwards);
  if (!ok) return std::unexpected(ok.error());
  return id;
}

Id Pause(Stage* stage) {
  const auto first = OpenScene(stage, {});
  if (!first) return std::unexpected(first.error());
  return PauseAndThaw(stage);
}

Id LostAcquireResponse(Stage* stage) {
  const auto first = OpenScene(stage, {});
  if (!first) return std::unexpected(first.error());
  const Id id = PauseAndThaw(stage, [stage] {
    stage->Say(Kind::kFault, "",
               "the API server will do the next update and lose its answer");
    return stage->server().AddFault(
        R"({"match":{"verb":"update"},"count":1,"action":"close",)"
        R"("applied":true})");
  });
  if (!id) return id;
  const auto strikes = stage->server().Strikes();
  if (!strikes) return std::unexpected(strikes.error());
  if (*strikes == 0) {
    return Fail(ErrorCode::kUnavailable,
                "expected the answer to an acquisition to be lost, found that "
                "none was");
  }
  return id;
}

Id ApiPartition(Stage* stage) {
  const auto first = OpenScene(stage, {.relayed = true});
  if (!first) return std::unexpected(first.error());
  const std::string who = first->contender->name();
  stage->server().SignalRelay(who, SIGSTOP);
  stage->Say(Kind::kFault, who,
             who + " is cut off from the API server: silence, not refusal");
  if (const auto ok = AwaitStopped(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = AwaitSuccessor(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  const Id id = LateWrite(stage, *first);
  stage->server().SignalRelay(who, SIGCONT);
  stage->Say(Kind::kFault, who,
             "the partition heals, and what was on its way arrives");
  const auto ok = stage->Wait(seconds(1));
  if (!ok) return std::unexpected(ok.error());
  return id;
}

Id ApiRestart(Stage* stage) {
  const auto first = OpenScene(stage, {.relayed = true});
  if (!first) return std::unexpected(first.error());
  const Duration away = stage->Now();
  for (const auto& contender : stage->contenders()) {
    stage->server().SignalRelay(contender->name(), SIGKILL);
  }
  stage->Say(Kind::kFault, "",
             "the API server goes away for everybody: connections reset, port "
             "closed");
  if (const auto ok = AwaitStopped(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  // Else the first would renew within its claim, and nothing change hands.
  if (const auto ok = AwaitExpiry(stage, *first, away); !ok) {
    return std::unexpected(ok.error());
  }
  for (const auto& contender : stage->contenders()) {
    const auto ok = stage->server().StartRelay(contender->name());
    if (!ok) return std::unexpected(ok.error());
  }
  stage->Say(Kind::kFault, "", "the API server is back, with what it knew");
  if (const auto ok = AwaitSuccessor(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  return LateWrite(stage, *first);
}

Id ClockStep(Stage* stage) {
  const auto first = OpenScene(stage, {.step_clocks = true});
  if (!first) return std::unexpected(first.error());
  const std::string ahead = stage->contenders().front()->name();
  for (const auto& contender : stage->contenders()) {
    StepClock(stage, contender->name(),
              contender->name() == ahead ? "+3600" : "-3600");
  }
  // One step each way, however many they are: the picture numbers them.
  stage->Say(Kind::kFault, ahead,
             "the wall clock of " + ahead + " jumps one hour ahead");
  stage->Say(Kind::kFault, "",
             "the wall clocks of all others jump one hour back");
  // Longer than the lease: whoever believed a wall clock would take over now.
  const auto ok = stage->Wait(first->lease_duration + seconds(1));
  if (!ok) return std::unexpected(ok.error());
  const auto now = PresentHolder(stage);
  if (!now) return std::unexpected(now.error());
  stage->Say(Kind::kNote, now->contender->name(),
             now->generation == first->generation
                 ? "a lease duration later the holder and its generation are "
                   "the same"
                 : "meanwhile the lease changed hands: generation " +
                       std::to_string(now->generation));
  return PauseAndThaw(stage);
}

Id SlowApi(Stage* stage) {
  const auto first = OpenScene(stage, {});
  if (!first) return std::unexpected(first.error());
  auto ok = stage->server().AddFault(R"({"action":"delay","delayMs":100})");
  if (!ok) return std::unexpected(ok.error());
  stage->Say(Kind::kFault, "", "each answer of the API server takes 100 ms");
  ok = stage->Wait(first->lease_duration);
  if (!ok) return std::unexpected(ok.error());
  const auto slowed = PresentHolder(stage);
  if (!slowed) return std::unexpected(slowed.error());
  stage->Say(Kind::kNote, slowed->contender->name(),
             slowed->generation == first->generation
                 ? "a lease duration later the holder and its generation are "
                   "the same"
                 : "meanwhile the lease changed hands: generation " +
                       std::to_string(slowed->generation));
  const auto late =
      std::chrono::duration_cast<milliseconds>(slowed->lease_duration) * 2;
  ok = stage->server().ClearFaults();
  if (ok) {
    ok = stage->server().AddFault(R"({"action":"delay","delayMs":)" +
                                  std::to_string(late.count()) + "}");
  }
  if (!ok) return std::unexpected(ok.error());
  stage->Say(Kind::kFault, "",
             "now each request takes effect two lease durations late");
  const Duration stuck = stage->Now();
  ok = AwaitStopped(stage, *slowed);
  if (ok) ok = AwaitExpiry(stage, *slowed, stuck);
  if (!ok) return std::unexpected(ok.error());
  ok = stage->server().ClearFaults();
  if (!ok) return std::unexpected(ok.error());
  stage->Say(Kind::kFault, "", "the API server is as quick as before");
  ok = AwaitSuccessor(stage, *slowed);
  if (!ok) return std::unexpected(ok.error());
  return LateWrite(stage, *slowed);
}

Id HolderKill(Stage* stage) {
  const auto first = OpenScene(stage, {});
  if (!first) return std::unexpected(first.error());
  const std::string who = first->contender->name();
  first->contender->Kill();
  stage->Say(Kind::kFault, who,
             "the sidecar and the wrapper of " + who + " are killed (SIGKILL)");
  if (const auto ok = AwaitStopped(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = AwaitSuccessor(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  return LateWrite(stage, *first);
}

Id LeaseDeleted(Stage* stage) {
  // Who relies on the fence alone would take the absent Lease at once.
  const auto first = OpenScene(stage, {.take_absent = false});
  if (!first) return std::unexpected(first.error());
  if (const auto ok = stage->server().DeleteLease(stage->lease()); !ok) {
    return std::unexpected(ok.error());
  }
  stage->Say(Kind::kFault, "", "the Lease is deleted while it is held");
  if (const auto ok = AwaitStopped(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = AwaitSuccessor(stage, *first); !ok) {
    return std::unexpected(ok.error());
  }
  return LateWrite(stage, *first);
}

constexpr char kFaults[] = "the fault knobs of the embedded API server";
constexpr char kRelays[] = "a relay between a contender and the API server";

constexpr std::array<Drill, 8> kDrills{{
    {"pause", "the holder is paused longer than its lease", nullptr, false,
     &Pause},
    {"api-partition", "the holder alone is cut off from the API server",
     kRelays, false, &ApiPartition},
    {"api-restart", "the API server is away longer than a lease", kRelays,
     false, &ApiRestart},
    {"clock-step", "wall clocks jump an hour, then the holder is paused",
     nullptr, true, &ClockStep},
    {"slow-api", "the API server becomes slow, then slower than the lease",
     kFaults, false, &SlowApi},
    {"holder-kill", "the holder is killed", nullptr, false, &HolderKill},
    {"lease-deleted", "somebody deletes the Lease",
     "the right to delete the Lease", false, &LeaseDeleted},
    {"lost-acquire-response",
     "the answer to the acquisition after a pause is lost", kFaults, false,
     &LostAcquireResponse},
}};

}  // namespace

std::span<const Drill> Drills() { return kDrills; }

std::string WhySkipped(const Drill& drill, const DrillOptions& options) {
  if (drill.needs_embedded != nullptr && !options.embedded) {
    return std::string("it needs ") + drill.needs_embedded +
           ", which a given API server does not have; run it without "
           "--kubeconfig and --context";
  }
  if (drill.needs_faketime && options.faketime.empty()) {
    return "it needs libfaketime to step wall clocks, which was not found; "
           "install faketime";
  }
  return "";
}

}  // namespace tenure
