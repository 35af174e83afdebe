// Worker: the guarded work of one pod under one lease. It asks the sidecar,
// counts what is left from before it asked (S1), raises its generation at the
// fenced store when it starts, and attaches it to every write. It outlives the
// sidecar's process, as an application container does.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_WORKER_H_
#define TENURE_TESTS_SIM_WORKER_H_

#include <cstdint>
#include <string>

#include "tests/sim/api_service.h"
#include "tests/sim/fault_plan.h"
#include "tests/sim/node.h"
#include "tests/sim/scene.h"

namespace tenure::sim {

// The protected store, fenced, and its twin that takes whatever comes.
struct GuardedStore {
  std::int64_t fence = 0;  // the highest generation raised or written
  int newest_raised_term = 0;
  int newest_written_term = 0;  // at the unfenced twin
};

class Worker {
 public:
  Worker(Scene* scene, ApiService* service, SimNode* node, GuardedStore* store,
         const WorldPlan* plan, int lease)
      : scene_(scene),
        service_(service),
        node_(node),
        store_(store),
        plan_(plan),
        lease_(lease) {}

  void Start() { LookIn(scene_->chance.Between(Duration{0}, kLookEvery)); }
  // A term was published: worth a look, for one who has nothing to do.
  void Hear() {
    if (phase_ != Phase::kIdle || look_at_ < scene_->now() + kLookEvery) return;
    LookIn(scene_->chance.Between(Duration{0}, kLookEvery));
  }

  // Faults of the work itself.
  void HangOnce(Duration lasts) { hang_ = lasts; }
  void WriteUncheckedOnce(Duration late) { unchecked_ = late; }

  void ReportFloor();

 private:
  enum class Phase { kIdle, kStarting, kWorking, kStopping };
  static constexpr Duration kLookEvery = std::chrono::milliseconds(1500);
  static constexpr Duration kIdleLookEvery = std::chrono::seconds(30);

  void LookIn(Duration delay);
  void Look();
  void Begin(std::int64_t generation);
  void Work(const Moment& asked, const CertaintyAnswer& answer);
  void BeginStopping();
  void Stopped();
  void TellDone(std::int64_t generation);
  void Write(bool raise, Duration late);
  void ArriveAtStore(std::int64_t generation, int term, bool raise);

  Scene* const scene_;
  ApiService* const service_;
  SimNode* const node_;
  GuardedStore* const store_;
  const WorldPlan* const plan_;
  const int lease_;
  Phase phase_ = Phase::kIdle;
  TrueTime look_at_{0};  // the next look; what else is queued is void
  std::int64_t generation_ = 0;
  std::string holder_;
  Duration hang_{0};
  Duration unchecked_{0};
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_WORKER_H_
