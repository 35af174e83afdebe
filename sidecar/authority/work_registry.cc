#include "sidecar/authority/work_registry.h"

#include <algorithm>

namespace tenure {

WorkRegistry::Verdict WorkRegistry::Start(std::int64_t generation,
                                          const WorkRun& run,
                                          const Instant& now) {
  if (running_ >= kMaxRunning) return Verdict::kFull;
  if (!run.id.empty()) {
    const auto same = [&run](const UnderWay& one) {
      return one.run.id == run.id;
    };
    if (std::ranges::any_of(runs_, same)) return Verdict::kRunUnderWay;
    if (runs_.size() >= kMaxRuns) return Verdict::kRunsFull;
    runs_.push_back(UnderWay{run, now});
  }
  ++by_generation_[generation];
  ++running_;
  return Verdict::kTaken;
}

bool WorkRegistry::Finish(std::int64_t generation, const WorkRun& run) {
  const auto found = by_generation_.find(generation);
  if (found == by_generation_.end()) return false;
  if (--found->second == 0) by_generation_.erase(found);
  --running_;
  // One that was forgotten and came back has nothing to say of its follower.
  std::erase_if(runs_, [&run](const UnderWay& one) { return one.run == run; });
  return true;
}

void WorkRegistry::Keep(const WorkRun& run, const Instant& now) {
  for (UnderWay& one : runs_) {
    if (one.run == run) one.heard = now;
  }
}

void WorkRegistry::ForgetRuns(const Instant& now) {
  std::erase_if(runs_, [&](const UnderWay& one) {
    return ShortestElapsed(one.heard, now) >= forget_after_;
  });
}

Duration WorkRegistry::ForgetsIn(const Instant& now) const {
  Duration next = Duration::max();
  for (const UnderWay& one : runs_) {
    next = std::min(
        next,
        std::max(forget_after_ - ShortestElapsed(one.heard, now), Duration{0}));
  }
  return next;
}

std::vector<std::string> WorkRegistry::Runs() const {
  std::vector<std::string> ids;
  ids.reserve(runs_.size());
  for (const UnderWay& one : runs_) ids.push_back(one.run.id);
  return ids;
}

}  // namespace tenure
