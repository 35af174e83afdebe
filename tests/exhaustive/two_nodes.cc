#include "tests/exhaustive/two_nodes.h"

#include <algorithm>
#include <utility>

#include "sidecar/authority/renewal_schedule.h"
#include "sidecar/base/check.h"

namespace tenure::exhaustive {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kDriftPpm = 10'000;
// Boot is slewed beyond the allowance, raw is not: the holder must believe the
// longer reading, the contender the shorter.
constexpr std::int64_t kSlewPpm = 50'000;
constexpr int kMostRestarts = 1;
constexpr int kMostEdits = 2;
constexpr Duration kTrip = milliseconds(4);

const LeaseTimes& Times() {
  static const LeaseTimes kTimes = *TimesForPreset("default");
  return kTimes;
}

// FNV-1a over the parts that matter.
class Hash {
 public:
  void Add(std::int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      Byte(static_cast<std::uint8_t>(value >> shift));
    }
  }
  void Add(const std::string& text) {
    for (const char c : text) Byte(static_cast<std::uint8_t>(c));
    Byte(0xFF);
  }
  void Add(const LeaseRecord& record) {
    Add(record.uid + record.resource_version + record.holder + record.write +
        record.generation.value_or("-") + record.document);
    Add(record.duration_seconds.value_or(-1));
  }
  void Add(const Request& request) {
    Add(static_cast<std::int64_t>(request.kind));
    Add(request.write.resource_version + request.write.holder);
    Add(request.write.generation.value_or(-1));
  }
  std::uint64_t value() const { return value_; }

 private:
  void Byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string MoveName(const Move& move) {
  static constexpr const char* kNames[kChoices] = {
      "wait",  "doze",  "oversleep", "deliver", "apply",   "answer",
      "break", "land",  "tell",      "restart", "release", "work",
      "done",  "drain", "delete",    "empty",   "relabel", "shorten"};
  std::string name = kNames[static_cast<int>(move.choice)];
  if (move.choice >= Choice::kDeliver && move.choice <= Choice::kDrain) {
    name += move.node == 0 ? " A" : " B";
  }
  return name;
}

TwoNodes::TwoNodes(RuleCounts* counts) : counts_(counts), server_(6) {
  // A Lease that nobody holds: the interesting part begins at once.
  LeaseRecord free;
  free.duration_seconds = 1;
  server_.CreateByHand(free);
  for (int node = 0; node < kNodes; ++node) Start(node);
  for (int node = 0; node < kNodes; ++node) Step(node, Tick{});
}

void TwoNodes::Start(int index) {
  Node& node = nodes_[static_cast<std::size_t>(index)];
  node = Node{};
  node.identity = std::string(1, static_cast<char>('A' + index)) +
                  std::to_string(++starts_);
  AuthorityOptions options;
  options.identity = node.identity;
  options.times = Times();
  options.jitter_seed = static_cast<std::uint64_t>(index);
  node.core = std::make_unique<LeaseAuthority>(options);
}

Moment TwoNodes::Now(int node) const {
  const std::int64_t sign = node == 0 ? -1 : 1;
  const auto at = [&](std::int64_t ppm) {
    return now_ + now_ * (sign * ppm) / 1'000'000;
  };
  Moment moment;
  moment.instant = Instant{at(kSlewPpm), at(kDriftPpm)};
  moment.wall.since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(
          moment.instant.boot);
  return moment;
}

std::vector<Move> TwoNodes::Moves() const {
  std::vector<Move> moves{
      {Choice::kWait, 0}, {Choice::kDoze, 0}, {Choice::kOversleep, 0}};
  for (std::uint8_t i = 0; i < kNodes; ++i) {
    const Node& node = nodes_[i];
    if (node.request) {
      if (node.answer) {
        moves.push_back({Choice::kAnswer, i});
      } else {
        moves.push_back({Choice::kDeliver, i});
        if (node.request->kind != RequestKind::kRead) {
          moves.push_back({Choice::kApply, i});
        }
      }
      moves.push_back({Choice::kBreak, i});
    }
    if (node.lost) moves.push_back({Choice::kLand, i});
    if (node.core->WantsWatch()) moves.push_back({Choice::kTell, i});
    if (restarts_ < kMostRestarts) moves.push_back({Choice::kRestart, i});
    const AuthoritySnapshot snapshot = node.core->Snapshot();
    if (snapshot.term) {
      moves.push_back({Choice::kRelease, i});
      if (!node.work) moves.push_back({Choice::kWork, i});
    }
    if (node.work) moves.push_back({Choice::kDone, i});
    if (!snapshot.draining) moves.push_back({Choice::kDrain, i});
  }
  if (edits_ < kMostEdits && server_.lease()) {
    for (const Choice choice : {Choice::kDelete, Choice::kEmpty,
                                Choice::kRelabel, Choice::kShorten}) {
      moves.push_back({choice, 0});
    }
  }
  return moves;
}

std::optional<std::string> TwoNodes::Make(const Move& move) {
  switch (move.choice) {
    case Choice::kWait:
      return Wait();
    case Choice::kDoze:
      now_ += milliseconds(14'600);
      return CheckAnswers();
    case Choice::kOversleep:
      // Nobody is asked for a step in between; the first question after it is
      // answered from the clock (S1).
      now_ += seconds(16);
      return CheckAnswers();
    case Choice::kDelete:
    case Choice::kEmpty:
    case Choice::kRelabel:
    case Choice::kShorten:
      return MakeByPeople(move.choice);
    case Choice::kDeliver:
    case Choice::kApply:
    case Choice::kAnswer:
    case Choice::kBreak:
    case Choice::kLand:
    case Choice::kTell:
    case Choice::kRestart:
    case Choice::kRelease:
    case Choice::kWork:
    case Choice::kDone:
    case Choice::kDrain:
      return MakeForNode(move);
  }
  return std::nullopt;
}

// To the next deadline of a core or of a request, whichever is first.
std::optional<std::string> TwoNodes::Wait() {
  Duration next = seconds(20);
  for (int i = 0; i < kNodes; ++i) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    const Duration due = node.core->NextDeadline(Now(i));
    // Local to true, rounded up on the slow side.
    if (due < next) next = due + due / 50 + Duration{1000};
    if (node.request) {
      next = std::min(next, node.sent_at + node.request->limit - now_);
    }
  }
  now_ += std::max(next, Duration{1000});
  for (int i = 0; i < kNodes; ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    std::optional<std::string> broken;
    if (node.request && now_ >= node.sent_at + node.request->limit) {
      broken = MakeForNode({Choice::kBreak, static_cast<std::uint8_t>(i)});
    } else if (node.core->NextDeadline(Now(i)) <= Duration{0}) {
      broken = Step(i, Tick{});
    }
    if (broken) return broken;
  }
  return CheckAnswers();
}

std::optional<std::string> TwoNodes::MakeForNode(const Move& move) {
  const int i = move.node;
  Node& node = nodes_[move.node];
  now_ += kTrip;
  std::optional<std::string> broken;
  switch (move.choice) {
    case Choice::kDeliver:
    case Choice::kApply: {
      sim::Answer answer;
      broken = Apply(i, *node.request, &answer);
      node.answer = answer;
      if (broken || move.choice == Choice::kApply) return broken;
      [[fallthrough]];
    }
    case Choice::kAnswer: {
      RequestDone done{node.request->id, *node.answer};
      node.request.reset();
      node.answer.reset();
      return Step(i, done);
    }
    case Choice::kBreak: {
      const bool pending = !node.answer.has_value();
      if (pending && node.request->kind != RequestKind::kRead) {
        node.lost = node.request;
      }
      RequestDone done{node.request->id,
                       std::unexpected(StoreError{ErrorCode::kOutcomeUnknown,
                                                  "broken", Duration{0}})};
      node.request.reset();
      node.answer.reset();
      return Step(i, done);
    }
    case Choice::kLand: {
      sim::Answer answer;
      const Request request = *std::exchange(node.lost, std::nullopt);
      broken = Apply(i, request, &answer);
      return broken ? broken : CheckAnswers();
    }
    case Choice::kTell: {
      WatchEvent event;
      event.kind = server_.lease() ? WatchEvent::Kind::kChanged
                                   : WatchEvent::Kind::kDeleted;
      event.record = server_.lease().value_or(LeaseRecord{});
      if (!server_.lease()) {
        event.record.resource_version = std::to_string(server_.revision());
      }
      return Step(i, event);
    }
    case Choice::kRestart:
      ++restarts_;
      Start(i);
      return Step(i, Tick{});
    case Choice::kRelease:
      return Step(i, GiveUp{node.core->Snapshot().term->generation});
    case Choice::kWork:
      return Step(i, StartWork{node.core->Snapshot().term->generation});
    case Choice::kDone:
      node.work = false;
      return Step(i, FinishWork{node.work_generation});
    default:  // kDrain
      return Step(i, Drain{});
  }
}

std::optional<std::string> TwoNodes::MakeByPeople(Choice choice) {
  ++edits_;
  now_ += kTrip;
  if (choice == Choice::kDelete) {
    server_.Delete();
    return CheckAnswers();
  }
  server_.EditByHand([choice](LeaseRecord* record) {
    if (choice == Choice::kRelabel) record->document += "label ";
    // Not the release form: that one means that it is free.
    if (choice == Choice::kEmpty && record->duration_seconds != 1) {
      record->holder.clear();
    }
    if (choice == Choice::kShorten && !record->holder.empty()) {
      record->duration_seconds = 2;
    }
  });
  return CheckAnswers();
}

std::uint64_t TwoNodes::Fingerprint() const {
  Hash hash;
  if (server_.lease()) hash.Add(*server_.lease());
  hash.Add(server_.revision());
  hash.Add(restarts_ * 16 + edits_);
  for (int i = 0; i < kNodes; ++i) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    const Moment now = Now(i);
    const AuthoritySnapshot snapshot = node.core->Snapshot();
    hash.Add(node.identity + snapshot.holder + snapshot.refusal);
    hash.Add(node.core->NextDeadline(now).count() / 1'000'000);
    hash.Add(snapshot.holder_generation);
    hash.Add(snapshot.highest_generation);
    hash.Add(LongestElapsed(snapshot.server_seen, now.instant).count() /
             1'000'000);
    hash.Add(snapshot.settled + 2 * snapshot.draining + 4 * snapshot.finished +
             8 * node.core->WantsWatch() + 16 * node.core->Engaged() +
             32 * node.core->Takeable(now) + 64 * node.work);
    if (snapshot.term) {
      hash.Add(snapshot.term->generation);
      hash.Add(
          LongestElapsed(snapshot.term->sent.instant, now.instant).count() /
          1'000'000);
    }
    if (node.request) {
      hash.Add(*node.request);
      hash.Add((now_ - node.sent_at).count() / 1'000'000);
    }
    if (node.answer && *node.answer) hash.Add((*node.answer)->record);
    hash.Add(node.answer.has_value());
    if (node.lost) hash.Add(*node.lost);
  }
  return hash.value();
}

}  // namespace tenure::exhaustive
