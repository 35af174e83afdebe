// SimNode: one pod. Its clock, the process in it (the production driver and
// core on simulated ports), and what stops, kills and restarts that process.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_NODE_H_
#define TENURE_TESTS_SIM_NODE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/coordinator/driver.h"
#include "tests/sim/api_service.h"
#include "tests/sim/fault_plan.h"
#include "tests/sim/ports.h"
#include "tests/sim/scene.h"

namespace tenure::sim {

class SimNode {
 public:
  // What the process of a pod is asked to do when it starts, before its first
  // step: an application reports its floor.
  using OnStart = std::function<void(int node)>;

  SimNode(Scene* scene, ApiService* service, const WorldPlan* plan, int index);
  ~SimNode();

  int index() const { return index_; }
  NodeClock& clock() {
    return scene_->history.clocks[static_cast<std::size_t>(index_)];
  }
  const Moment& Now() { return clock().Now(scene_->now()); }

  void StartProcess();
  // Dies now and starts again after `delay`, as another process.
  void Crash(Duration delay);
  void Drain();
  // Another process begins here, with the identity and, as the plan says, with
  // the coming random bits of `original`'s.
  void BecomeCloneOf(const SimNode& original);
  void SetOnStart(OnStart on_start) { on_start_ = std::move(on_start); }
  // Called once, when the process has sent its next request.
  void OnNextRequest(std::function<void()> on_request) {
    on_request_ = std::move(on_request);
  }
  void RequestSent() {
    if (on_request_) std::exchange(on_request_, nullptr)();
  }
  // Called when a snapshot with a term was published.
  void SetOnTerm(std::function<void(int lease)> on_term) {
    on_term_ = std::move(on_term);
  }
  // Called when what had stopped runs again.
  void SetOnResume(std::function<void()> on_resume) {
    on_resume_ = std::move(on_resume);
  }

  // What stops: the driver alone, or the work beside it too.
  void Stop(bool work_too);
  void Resume();
  bool DriverRuns() const { return driver_stops_ == 0; }
  bool WorkRuns() const { return work_stops_ == 0; }

  // Runs `task` in process number `process`: now, when it runs again, or never.
  void Deliver(int process, Task task);
  // Runs `task` in the pod's work: now, or when it runs again.
  void DeliverWork(Task task);

  // The S1 answer of the process's board at this instant; uncertain if there
  // is no process. For readers in the pod and for the history.
  CertaintyAnswer AnswerNow(int lease);
  // Nothing: no process answers (or all of the pod stands still).
  std::optional<CertaintyAnswer> Ask(int lease);
  bool Draining(int lease);
  void Control(ControlRequest request, ControlPort::Done done);
  // Calls `taken` when it was accepted.
  void RaiseFloor(int lease, std::int64_t floor,
                  const std::function<void()>& taken = nullptr);

  // Guarded work that was registered with the process that runs now, and is
  // not done. (What was registered with the one before is gone with it: the
  // lease it held was waited out.)
  bool WorkRegistered(int lease) const {
    return work_registered_[static_cast<std::size_t>(lease)] == process_number_;
  }
  void SetWorkRegistered(int lease, bool registered) {
    work_registered_[static_cast<std::size_t>(lease)] =
        registered ? process_number_ : 0;
  }
  const std::string& identity() const { return identity_; }
  int process() const { return process_number_; }
  bool alive() const { return process_ != nullptr; }

 private:
  struct Process;

  void Begin(std::string identity, Prng entropy);
  void Note(int lease, const AuthoritySnapshot& snapshot);
  int IdentityNumber();
  void Pump();
  void PumpIn(Duration true_delay);
  void Die();

  Scene* const scene_;
  ApiService* const service_;
  const WorldPlan* const plan_;
  const int index_;
  OnStart on_start_;
  std::function<void()> on_request_;
  std::function<void(int lease)> on_term_;
  std::function<void()> on_resume_;
  std::unique_ptr<Process> process_;
  int process_number_ = 0;
  std::string identity_;
  int identity_number_ = 0;  // in the history's list
  std::uint64_t pump_epoch_ = 0;
  TrueTime pump_at_{0};
  bool woken_ = false;       // the driver asked to be pumped
  bool delivering_ = false;  // inside Deliver
  int driver_stops_ = 0;
  int work_stops_ = 0;
  std::vector<Task> waiting_;
  std::vector<Task> work_waiting_;
  std::vector<int> work_registered_;  // by lease: the process; 0: none
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_NODE_H_
