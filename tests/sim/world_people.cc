// What people and other programs do to the Lease.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "sidecar/authority/generation.h"
#include "tests/sim/world.h"

namespace tenure::sim {
namespace {

// Never 1: with an empty holder that is the release form, and means it.
constexpr std::int32_t kDurations[] = {2, 4, 20, 30};
// The highest generation that can be written: none comes after it.
constexpr char kPoisoned[] = "9007199254740991";
constexpr const char* kGarbage[] = {
    "12x", "-7", "", "1e5", "007", "9007199254740993", kPoisoned};

// In more than when it was written.
bool Differ(const std::optional<LeaseRecord>& before,
            const std::optional<LeaseRecord>& after) {
  if (!before || !after) return before.has_value() != after.has_value();
  return Changed(*before, *after) || before->document != after->document;
}

}  // namespace

// Whether it changed anything.
bool World::Edit(const PlannedFault& fault, const ApiServerModel::Edit& edit) {
  if (service_.server().down) return false;
  ApiServerModel& model = service_.lease(fault.lease);
  const std::optional<LeaseRecord> before = model.lease();
  if (!model.EditByHand(edit)) return false;
  const bool changed = Differ(before, model.lease());
  if (changed) scene_.Count(fault.kind);
  service_.TellWatches(fault.lease);
  return changed;
}

bool World::IsHeld(int lease) {
  return std::any_of(nodes_.begin(), nodes_.end(), [lease](const auto& pod) {
    return pod->AnswerNow(lease).certainty == Certainty::kHeld;
  });
}

// The way out that the refusals name: somebody who knows corrects the object.
void World::MendByHand(int lease) {
  ApiServerModel& model = service_.lease(lease);
  if (!model.lease()) return;
  const LeaseRecord& record = *model.lease();
  const bool garbled =
      record.generation &&
      ParseGeneration(*record.generation).value_or(kMaxGeneration) ==
          kMaxGeneration;
  if (record.unreadable.empty() && !garbled) return;
  model.EditByHand([garbled](LeaseRecord* broken) {
    broken->unreadable.clear();
    if (garbled) broken->generation.reset();
  });
  service_.TellWatches(lease);
}

void World::RestoreBackup(const PlannedFault& fault) {
  auto& kept = backups_[static_cast<std::size_t>(fault.lease)];
  const auto pick = static_cast<std::size_t>(
      scene_.chance.Between(0, static_cast<std::int64_t>(kept.size()) - 1));
  // Newer backups are of a history that did not happen.
  const ApiServerModel::Backup backup = kept[pick];
  kept.resize(pick + 1);
  const std::optional<LeaseRecord> before = service_.lease(fault.lease).lease();
  service_.Restore(fault.lease, backup, plan_.restores_bump);
  if (Differ(before, service_.lease(fault.lease).lease())) {
    scene_.Count(fault.kind);
  }
}

void World::ControlByHand(const PlannedFault& fault) {
  SimNode& pod = node(fault.node);
  const CertaintyAnswer answer = pod.AnswerNow(fault.lease);
  if (!pod.alive() || answer.generation == 0) return;
  if (fault.kind == Fault::kFloor) {
    return pod.RaiseFloor(fault.lease, answer.generation,
                          [this] { scene_.Count(Fault::kFloor); });
  }
  LoseAnswers(fault.node);
  pod.Control({ControlRequest::Kind::kRelease,
               static_cast<std::size_t>(fault.lease), answer.generation},
              [this](const ControlReply& reply) {
                if (!reply.error) scene_.Count(Fault::kRelease);
              });
}

void World::BeginByPeople(const PlannedFault& fault) {
  ApiServerModel& model = service_.lease(fault.lease);
  Chance& chance = scene_.chance;
  switch (fault.kind) {
    case Fault::kDeleteLease:
      if (!model.Delete()) return;
      scene_.Count(fault.kind);
      if (IsHeld(fault.lease)) scene_.Count(Fault::kDeletedUnderHolder);
      return service_.TellWatches(fault.lease);
    case Fault::kRelabel:
      Edit(fault, [this](LeaseRecord* record) {
        record->document = "label-" + std::to_string(scene_.now().count());
      });
      return;
    case Fault::kEmptyHolder: {
      const bool held = IsHeld(fault.lease);
      const bool emptied =
          Edit(fault, [](LeaseRecord* record) { record->holder.clear(); });
      if (held && emptied) scene_.Count(Fault::kEmptiedUnderHolder);
      return;
    }
    case Fault::kEditDuration:
      if (!model.lease() || model.lease()->holder.empty()) return;
      Edit(fault, [this](LeaseRecord* record) {
        const std::int32_t seconds =
            kDurations[scene_.chance.Between(0, std::ssize(kDurations) - 1)];
        if (seconds < record->duration_seconds.value_or(0)) {
          scene_.Count(Fault::kShortenedDuration);
        }
        record->duration_seconds = seconds;
      });
      return;
    case Fault::kGarbleGeneration:
      Edit(fault, [this](LeaseRecord* record) {
        const char* garbage =
            kGarbage[scene_.chance.Between(0, std::ssize(kGarbage) - 1)];
        if (garbage == kPoisoned) scene_.Count(Fault::kPoisonedGeneration);
        record->generation = garbage;
      });
      return Later(fault, [this, &fault] { MendByHand(fault.lease); });
    case Fault::kGarbleRecord:
      Edit(fault, [this](LeaseRecord* record) {
        const bool fraction = scene_.chance.Permille(500);
        if (fraction) scene_.Count(Fault::kFractionalDuration);
        record->unreadable = fraction ? "a lease duration of 2.5" : "garbled";
      });
      return Later(fault, [this, &fault] { MendByHand(fault.lease); });
    case Fault::kForeignHolder:
      // It rarely wins against a watch: pods go away meanwhile.
      for (const auto& pod : nodes_) {
        if (chance.Permille(700)) pod->Crash(std::chrono::seconds(20));
      }
      return electors_[static_cast<std::size_t>(fault.lease)]->Run(
          std::min<Duration>(fault.lasts + std::chrono::seconds(40),
                             plan_.quiet_from - scene_.now()));
    case Fault::kWebhook:
      model.SetWebhook([this](LeaseRecord* record) {
        if (record->duration_seconds != 20) scene_.Count(Fault::kWebhook);
        record->duration_seconds = 20;
      });
      return Later(fault, [&model] { model.SetWebhook(nullptr); });
    case Fault::kRestore:
      return RestoreBackup(fault);
    default:  // kFloor, kRelease
      return ControlByHand(fault);
  }
}

}  // namespace tenure::sim
