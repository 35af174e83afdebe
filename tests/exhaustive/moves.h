// Everything that can happen to two or three nodes and one Lease.
#ifndef TENURE_TESTS_EXHAUSTIVE_MOVES_H_
#define TENURE_TESTS_EXHAUSTIVE_MOVES_H_

#include <cstdint>
#include <string>

namespace tenure::exhaustive {

inline constexpr int kMostNodes = 3;

enum class Choice : std::uint8_t {
  // Time. Nothing happens in between; the moves below take none.
  kWait,       // until the next deadline of anybody; each is kept in time
  kOversleep,  // all stand still for longer than a lease lasts
  // For one node:
  kNap,      // the others wait; it stands still meanwhile
  kDeliver,  // its request is applied and answered
  kApply,    // applied; the answer is on its way
  kAnswer,   // that answer arrives
  kBreak,    // the connection breaks; the request may land later
  kLand,     // it does
  kTell,     // the watch shows it the Lease as it is now
  kDone,     // its work is over
  // Events:
  kDoze,  // all stand still until just before a claim ends
  // Of one node:
  kHangUp,   // the watch breaks
  kFresh,    // a read outside the renew path is answered
  kRestart,  // the process is killed and started again
  kRelease,
  kWork,
  kDrain,
  kFloor,  // the store reports its generation
  kStep,   // its wall clock is stepped ahead, as after a hidden pause
  // By people and other programs:
  kDelete,
  kEmpty,
  kRelabel,
  kShorten,
  kForeign,  // an elector that knows nothing of us takes it
};
inline constexpr int kChoices = static_cast<int>(Choice::kForeign) + 1;

struct Move {
  Choice choice = Choice::kWait;
  std::uint8_t node = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

// All but time and the fates of messages.
constexpr bool IsEvent(Choice choice) { return choice >= Choice::kDoze; }

inline std::string MoveName(const Move& move) {
  static constexpr const char* kNames[kChoices] = {
      "wait",  "oversleep", "nap",     "deliver", "apply",   "answer",
      "break", "land",      "tell",    "done",    "doze",    "hangUp",
      "fresh", "restart",   "release", "work",    "drain",   "floor",
      "step",  "delete",    "empty",   "relabel", "shorten", "foreign"};
  std::string name = kNames[static_cast<int>(move.choice)];
  const bool of_node = move.choice >= Choice::kNap &&
                       move.choice <= Choice::kStep &&
                       move.choice != Choice::kDoze;
  if (of_node) {
    name += ' ';
    name += static_cast<char>('A' + move.node);
  }
  return name;
}

}  // namespace tenure::exhaustive

#endif  // TENURE_TESTS_EXHAUSTIVE_MOVES_H_
