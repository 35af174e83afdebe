// WorkRegistry: guarded work that was registered and is not yet done, by the
// generation it runs under (S10). It outlives terms: work of a lost term is
// still presumed running until its `done`.
//
// Work can carry out a run that is to happen once. Of one id no second run is
// taken while the first is under way: until its work is done, or until the one
// that started it was not heard of for so long that its own deadline, which it
// had from us, has killed it.
//
// Thread safety: one thread at a time.
// Invariants: of an id one run at most is under way; a run that is forgotten
// leaves its work registered.
#ifndef TENURE_AUTHORITY_WORK_REGISTRY_H_
#define TENURE_AUTHORITY_WORK_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sidecar/authority/run_id.h"
#include "sidecar/base/instant.h"

namespace tenure {

class WorkRegistry {
 public:
  static constexpr std::int32_t kMaxRunning = 1024;
  // All of them are in the status document.
  static constexpr std::size_t kMaxRuns = 32;

  // A run that nobody kept for `forget_after` is not under way any more.
  explicit WorkRegistry(Duration forget_after) : forget_after_(forget_after) {}

  enum class Verdict { kTaken, kFull, kRunsFull, kRunUnderWay };

  // `run` without an id: any number at once.
  Verdict Start(std::int64_t generation, const WorkRun& run,
                const Instant& now);

  // False if no work runs under that generation.
  bool Finish(std::int64_t generation, const WorkRun& run);

  // Whoever started it was heard of.
  void Keep(const WorkRun& run, const Instant& now);

  // Those that nobody kept, by the least time that can have passed (S2).
  void ForgetRuns(const Instant& now);
  // How long until there is one; Duration::max(): there is no run.
  Duration ForgetsIn(const Instant& now) const;

  std::int32_t running() const { return running_; }
  // The ids of those under way, the first that began first.
  std::vector<std::string> Runs() const;

 private:
  friend class AuthorityDigest;  // tests/exhaustive

  struct UnderWay {
    WorkRun run;
    Instant heard;
  };

  Duration forget_after_;
  std::map<std::int64_t, std::int32_t> by_generation_;
  std::int32_t running_ = 0;
  std::vector<UnderWay> runs_;
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_WORK_REGISTRY_H_
