// Stage: where a story plays. Named actors, each a LeaseAuthority with clocks
// of its own, around one in-memory Lease and one fenced store. Time moves only
// by `advance`.
//
// In `network A auto` (the default) a request is applied at once and answered
// 10 ms after it was sent; in `manual` the story says what becomes of it.
//
// Thread safety: one thread.
#ifndef TENURE_TESTS_GOLDEN_STAGE_H_
#define TENURE_TESTS_GOLDEN_STAGE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "sidecar/authority/lease_authority.h"
#include "tests/sim/api_server_model.h"

namespace tenure::golden {

using Words = std::vector<std::string>;
// "key=value" words of a command.
using Settings = std::map<std::string, std::string>;

Words SplitWords(const std::string& line);
Settings ParseSettings(const Words& words, std::size_t from);
// "15s", "250ms", "1.5s".
Duration ParseDuration(const std::string& text);
// "12.345s".
std::string PrintDuration(Duration duration);

class Stage {
 public:
  Stage();
  ~Stage();

  // One command; returns what it printed.
  std::string Run(const std::string& command);

 private:
  struct Actor;
  struct Pending {
    Duration at{0};
    std::uint64_t order = 0;
    std::function<void()> act;
    bool operator<(const Pending& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  using Command = void (Stage::*)(const Words&);

  // stage.cc: time, steps and the network.
  void Print(const std::string& line);
  void Say(const Actor& actor, const std::string& text);
  Moment Now(const Actor& actor) const;
  void At(Duration when, std::function<void()> act);
  void AdvanceTo(Duration until);
  void Step(Actor& actor, const Input& input);
  void Send(Actor& actor, const Request& request);
  void Apply(Actor& actor);
  void Finish(Actor& actor, sim::Answer answer);
  void Feed(Actor& actor, Input input);
  void TellWatches();
  void SteerWatch(Actor& actor);
  void FeedSoon(const std::string& name, Duration delay, Input input);
  void ShowAnswer(Actor& actor, bool always);
  Actor& Find(const std::string& name);

  // stage_commands.cc: what a story can say.
  void CmdNew(const Words& words);
  void CmdAdvance(const Words& words);
  void CmdNetwork(const Words& words);
  void CmdRequest(const Words& words);
  void CmdClock(const Words& words);
  void CmdControl(const Words& words);
  void CmdWatch(const Words& words);
  void CmdApi(const Words& words);
  void CmdStore(const Words& words);
  void CmdStatus(const Words& words);
  void CmdKill(const Words& words);
  void CmdContend(const Words& words);
  void ShowLease();
  static Command FindCommand(const std::string& verb);

  Duration now_{0};
  std::uint64_t order_ = 0;
  std::uint64_t writes_ = 0;  // entropy: a counter, so that stories read well
  std::string printed_;
  std::priority_queue<Pending> pending_;
  std::map<std::string, std::unique_ptr<Actor>> actors_;
  sim::ApiServerModel server_;
  std::map<std::string, sim::ApiServerModel::Backup> backups_;
  std::int64_t revision_told_ = 0;
  std::int64_t store_raised_ = 0;
  std::string store_value_ = "nothing";
};

struct Stage::Actor {
  std::string name;
  std::unique_ptr<LeaseAuthority> core;

  // Clocks: true time minus what they missed, plus the wall's steps.
  Duration boot_missed{0};
  Duration raw_missed{0};
  Duration wall_shift{0};
  enum class Run { kRunning, kFrozen, kSuspended, kVmPaused };
  Run run = Run::kRunning;
  Duration stopped_at{0};

  bool manual = false;
  bool down = false;
  Duration latency = std::chrono::milliseconds(10);
  bool watch_allowed = true;
  bool watch_open = false;
  bool watch_denied = false;

  std::optional<Request> request;     // in flight
  std::optional<sim::Answer> answer;  // applied, not yet delivered
  std::optional<Request> lost;        // a write given up, may still land
  std::vector<Input> inbox;           // arrived while not running

  Duration wake_at = Duration::max();
  std::string last_answer;

  void Lose() {
    if (request->kind != RequestKind::kRead) lost = request;
  }
};

}  // namespace tenure::golden

#endif  // TENURE_TESTS_GOLDEN_STAGE_H_
