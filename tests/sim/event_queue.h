// EventQueue: virtual time. Tasks run in order of (time, order of scheduling),
// so that one seed gives one history on every compiler.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_SIM_EVENT_QUEUE_H_
#define TENURE_TESTS_SIM_EVENT_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "sidecar/base/instant.h"

namespace tenure::sim {

// True time since the world began; only the world sees it.
using TrueTime = Duration;

// A move-only closure kept in place: the queue moves millions of them.
class Task {
 public:
  template <typename F>
    requires(!std::is_same_v<std::decay_t<F>, Task>)
  Task(F&& call) {  // NOLINT(google-explicit-constructor): reads as a closure
    using Call = std::decay_t<F>;
    static_assert(sizeof(Call) <= kRoom);
    static_assert(std::is_nothrow_move_constructible_v<Call>);
    new (room_) Call(std::forward<F>(call));
    act_ = [](void* from, void* to, Act act) {
      Call* here = std::launder(reinterpret_cast<Call*>(from));
      if (act == Act::kRun) return (*here)();
      if (act == Act::kMove) new (to) Call(std::move(*here));
      here->~Call();
    };
  }
  Task(Task&& other) noexcept : act_(std::exchange(other.act_, nullptr)) {
    if (act_ != nullptr) act_(other.room_, room_, Act::kMove);
  }
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    this->~Task();
    new (this) Task(std::move(other));
    return *this;
  }
  ~Task() {
    if (act_ != nullptr) act_(room_, nullptr, Act::kDestroy);
  }

  void operator()() { act_(room_, nullptr, Act::kRun); }

 private:
  enum class Act { kRun, kMove, kDestroy };
  static constexpr std::size_t kRoom = 72;

  alignas(std::max_align_t) std::byte room_[kRoom];
  void (*act_)(void* from, void* to, Act act) = nullptr;
};

class EventQueue {
 public:
  TrueTime now() const { return now_; }

  void At(TrueTime when, Task task) {
    std::uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(tasks_.size());
      tasks_.push_back(std::move(task));
    } else {
      slot = free_.back();
      free_.pop_back();
      tasks_[slot] = std::move(task);
    }
    heap_.push_back(Entry{std::max(when, now_), ++order_, slot});
    std::push_heap(heap_.begin(), heap_.end());
  }
  void In(Duration delay, Task task) { At(now_ + delay, std::move(task)); }

  // Runs everything due up to and including `until`.
  void RunUntil(TrueTime until) {
    while (!heap_.empty() && heap_.front().when <= until) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Entry entry = heap_.back();
      heap_.pop_back();
      now_ = entry.when;
      Task task = std::move(tasks_[entry.slot]);
      free_.push_back(entry.slot);
      ++executed_;
      task();
    }
    now_ = until;
  }

  std::uint64_t executed() const { return executed_; }

 private:
  struct Entry {
    TrueTime when;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator<(const Entry& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };

  TrueTime now_{0};
  std::uint64_t order_ = 0;
  std::uint64_t executed_ = 0;
  std::vector<Entry> heap_;
  std::vector<Task> tasks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tenure::sim

#endif  // TENURE_TESTS_SIM_EVENT_QUEUE_H_
