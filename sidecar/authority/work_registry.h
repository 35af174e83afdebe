// WorkRegistry: guarded work that was registered and is not yet done, by the
// generation it runs under (S10). It outlives terms: work of a lost term is
// still presumed running until its `done`.
//
// Thread safety: one thread at a time.
#ifndef TENURE_AUTHORITY_WORK_REGISTRY_H_
#define TENURE_AUTHORITY_WORK_REGISTRY_H_

#include <cstdint>
#include <map>

namespace tenure {

class WorkRegistry {
 public:
  static constexpr std::int32_t kMaxRunning = 1024;

  // False if too much work is registered already.
  bool Start(std::int64_t generation) {
    if (running_ >= kMaxRunning) return false;
    ++by_generation_[generation];
    ++running_;
    return true;
  }

  // False if no work runs under that generation.
  bool Finish(std::int64_t generation) {
    const auto found = by_generation_.find(generation);
    if (found == by_generation_.end()) return false;
    if (--found->second == 0) by_generation_.erase(found);
    --running_;
    return true;
  }

  std::int32_t running() const { return running_; }

 private:
  friend class AuthorityDigest;  // tests/exhaustive

  std::map<std::int64_t, std::int32_t> by_generation_;
  std::int32_t running_ = 0;
};

}  // namespace tenure

#endif  // TENURE_AUTHORITY_WORK_REGISTRY_H_
