#include "sidecar/drill/opening.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/drill/event.h"
#include "sidecar/drill/late_requests.h"

namespace tenure {
namespace {

using Kind = DrillEventKind;

constexpr Duration kSlack = std::chrono::seconds(30);
// For the first answer of a sidecar.
constexpr Duration kStarting = std::chrono::seconds(60);
constexpr Duration kCalm = std::chrono::milliseconds(600);
constexpr Duration kLongestLease = std::chrono::seconds(180);
// So the first is 9999999999 and the next has a digit more: a store that
// compares them as text, or keeps them in 32 bits, does not pass.
constexpr char kGenerationsAbove[] = "9999999998";

std::string OffsetFile(const Stage& stage, const std::string& who) {
  return stage.folder() + "/" + who + ".clock";
}

bool Settled(const Contender& contender) {
  return contender.report() &&
         contender.report()->certainty != Certainty::kUncertain;
}

// The newest under which something was accepted; 0: nothing was.
const Attempt* Newest(const std::vector<Attempt>& attempts) {
  const Attempt* newest = nullptr;
  for (const Attempt& attempt : attempts) {
    if (attempt.outcome == StoreOutcome::kAccepted && attempt.op == "write" &&
        (newest == nullptr || attempt.generation > newest->generation)) {
      newest = &attempt;
    }
  }
  return newest;
}

Contender* Holder(Stage* stage) {
  for (const auto& contender : stage->contenders()) {
    if (!contender->Held()) continue;
    const auto attempts = Attempts(stage->events());
    const Attempt* newest = Newest(attempts);
    if (newest != nullptr &&
        newest->generation == contender->report()->generation) {
      return contender.get();
    }
  }
  return nullptr;
}

Result<Contender*> AddOne(Stage* stage, const Casting& casting,
                          const std::string& name, bool first) {
  std::vector<std::string> flags;
  if (first && casting.take_absent && stage->options().embedded) {
    flags = {"--absent-lease", "take"};
  }
  if (stage->options().embedded) {
    flags.insert(flags.end(), {"--min-generation", kGenerationsAbove});
  }
  std::vector<std::pair<std::string, std::string>> environment;
  if (casting.step_clocks) {
    StepClock(stage, name, "+0");
    environment = {{"LD_PRELOAD", stage->options().faketime},
                   {"FAKETIME_TIMESTAMP_FILE", OffsetFile(*stage, name)},
                   {"FAKETIME_NO_CACHE", "1"},
                   // Wall time alone: authority counts on the others.
                   {"DONT_FAKE_MONOTONIC", "1"}};
  }
  return stage->Add(casting.relayed, flags, environment);
}

}  // namespace

Result<FirstHolder> OpenScene(Stage* stage, const Casting& casting) {
  for (std::size_t i = 0; i < stage->options().contenders; ++i) {
    const auto added = AddOne(stage, casting, Stage::NameOf(i), i == 0);
    if (!added) return std::unexpected(added.error());
    Contender* const contender = *added;
    const auto ok =
        i == 0 ? stage->Until("the first contender to hold the lease and write",
                              kLongestLease + kStarting,
                              [&] { return Holder(stage) != nullptr; })
               : stage->Until("contender " + contender->name() + " to stand by",
                              kStarting, [&] { return Settled(*contender); });
    if (!ok) return std::unexpected(ok.error());
  }
  // A few writes as they are when nothing is wrong.
  if (const auto ok = stage->Wait(kCalm); !ok) {
    return std::unexpected(ok.error());
  }
  Result<FirstHolder> first = PresentHolder(stage);
  if (!first) return first;
  stage->Say(Kind::kNote, first->contender->name(),
             first->contender->name() + " holds the lease under generation " +
                 std::to_string(first->generation) +
                 " and writes; the others stand by");
  return first;
}

Result<FirstHolder> PresentHolder(Stage* stage) {
  Contender* holder = nullptr;
  const auto ok = stage->Until("somebody to hold the lease and write",
                               kLongestLease + kStarting, [&] {
                                 holder = Holder(stage);
                                 return holder != nullptr;
                               });
  if (!ok) return std::unexpected(ok.error());
  const Report& report = *holder->report();
  return FirstHolder{holder, report.generation, report.identity,
                     report.take_over};
}

Result<void> AwaitSuccessor(Stage* stage, const FirstHolder& first) {
  const auto written = [&] {
    const auto attempts = Attempts(stage->events());
    const Attempt* newest = Newest(attempts);
    return newest != nullptr && newest->generation > first.generation;
  };
  const auto ok = stage->Until("another generation to write",
                               first.lease_duration * 3 + kSlack, written);
  if (!ok) return ok;
  const auto attempts = Attempts(stage->events());
  const Attempt* newest = Newest(attempts);
  stage->Say(Kind::kNote, newest->who,
             newest->who + " acquired the lease: generation " +
                 std::to_string(newest->generation) +
                 "; it writes, and the store takes it");
  return {};
}

Result<void> AwaitExpiry(Stage* stage, const FirstHolder& first,
                         Duration from) {
  const Duration passed = stage->Now() - from;
  if (passed >= first.lease_duration) return {};
  return stage->Wait(first.lease_duration - passed);
}

Result<void> AwaitStopped(Stage* stage, const FirstHolder& first) {
  const std::string who = first.contender->name();
  const auto gone = [&] {
    return std::ranges::any_of(stage->events(), [&](const DrillEvent& event) {
      return event.kind == Kind::kGone && event.who == who &&
             event.generation == first.generation;
    });
  };
  const auto ok = stage->Until("the writer of " + who + " to be stopped",
                               first.lease_duration * 2 + kSlack, gone);
  if (ok) {
    stage->Say(Kind::kNote, who,
               "the writer of " + who + " is dead, killed by its guard");
  }
  return ok;
}

Result<std::string> LateWrite(Stage* stage, const FirstHolder& first) {
  const std::string who = first.contender->name();
  stage->Say(Kind::kFault, who,
             "a write of " + who + " under generation " +
                 std::to_string(first.generation) +
                 ", held up on its way, reaches the store");
  return DeliverLate(stage, Late{who, first.generation, first.identity});
}

void StepClock(Stage* stage, const std::string& who,
               const std::string& offset) {
  // Renamed into place: a clock that is read meanwhile sees one or the other.
  const std::string path = OffsetFile(*stage, who);
  std::ofstream(path + ".new") << offset << "\n";
  std::rename((path + ".new").c_str(), path.c_str());
}

}  // namespace tenure
