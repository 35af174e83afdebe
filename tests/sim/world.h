// World: one run. Virtual time, N pods, an API server, a network, guarded
// stores, and the faults that the seed plans.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_WORLD_H_
#define TENURE_TESTS_SIM_WORLD_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/sim/api_service.h"
#include "tests/sim/child.h"
#include "tests/sim/fault_plan.h"
#include "tests/sim/foreign_elector.h"
#include "tests/sim/node.h"
#include "tests/sim/scene.h"
#include "tests/sim/worker.h"

namespace tenure::sim {

class World {
 public:
  explicit World(WorldPlan plan);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Runs to the end of the plan.
  void Run();
  // For tests that steer by hand.
  void RunUntil(TrueTime until) { scene_.queue.RunUntil(until); }

  const History& history() const { return scene_.history; }
  Scene& scene() { return scene_; }
  ApiService& service() { return service_; }
  SimNode& node(int index) { return *nodes_[static_cast<std::size_t>(index)]; }

 private:
  void Begin(const PlannedFault& fault);
  void BeginOnNode(const PlannedFault& fault);
  void BeginOnLink(const PlannedFault& fault);
  void BeginOnServer(const PlannedFault& fault);
  void BeginByPeople(const PlannedFault& fault);
  void Halt(const PlannedFault& fault, bool work_too);
  void PauseVm(const PlannedFault& fault);
  bool Edit(const PlannedFault& fault, const ApiServerModel::Edit& edit);
  bool IsHeld(int lease);
  void MendByHand(int lease);
  void RestoreBackup(const PlannedFault& fault);
  void ControlByHand(const PlannedFault& fault);
  void LoseAnswers(int node);
  void TakeBackups();
  void Quieten();
  void Later(const PlannedFault& fault, Task undo) {
    scene_.queue.In(fault.lasts, std::move(undo));
  }
  Child& child(int node, int lease) {
    return *children_[static_cast<std::size_t>(node * plan_.leases + lease)];
  }
  Worker& worker(int node, int lease) {
    return *workers_[static_cast<std::size_t>(node * plan_.leases + lease)];
  }

  const WorldPlan plan_;
  Scene scene_;
  ApiService service_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::vector<GuardedStore> stores_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Child>> children_;
  std::vector<std::unique_ptr<ForeignElector>> electors_;
  std::vector<std::vector<ApiServerModel::Backup>> backups_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_WORLD_H_
