// What each move does.
#include <utility>

#include "sidecar/base/check.h"
#include "tests/exhaustive/authority_digest.h"
#include "tests/exhaustive/small_world.h"

namespace tenure::exhaustive {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kOversleep = milliseconds(3'500);
constexpr Duration kStep = seconds(3);  // more than a leap second

RequestDone Failed(const Request& request) {
  return {request.id, std::unexpected(StoreError{ErrorCode::kOutcomeUnknown,
                                                 "broken", Duration{0}})};
}

}  // namespace

SmallWorld::Broken SmallWorld::Make(const Move& move) {
  if (IsEvent(move.choice)) ++events_;
  late_.reset();
  switch (move.choice) {
    case Choice::kWait:
      return Wait(-1);
    case Choice::kDoze:
      return Pass(ClaimRunsFor());
    case Choice::kOversleep:
      // Nobody is asked for a step in between; the first question after it is
      // answered from the clock (S1).
      return Pass(kOversleep);
    case Choice::kNap:
      return Wait(move.node);
    case Choice::kDelete:
    case Choice::kEmpty:
    case Choice::kRelabel:
    case Choice::kShorten:
    case Choice::kForeign:
      return MakeByPeople(move.choice);
    default:
      return MakeForNode(move);
  }
}

SmallWorld::Broken SmallWorld::MakeForNode(const Move& move) {
  const int i = move.node;
  Node& node = At(i);
  switch (move.choice) {
    case Choice::kApply:
      return Apply(i, &*node.flight);
    case Choice::kDeliver:
      if (Broken broken = Apply(i, &*node.flight)) return broken;
      [[fallthrough]];
    case Choice::kAnswer: {
      RequestDone done{node.flight->request.id, *node.flight->answer};
      if (node.flight->request.kind == RequestKind::kRead) {
        SettleByRead(i, done.result);
      }
      node.flight.reset();
      Broken broken = Step(i, done);
      late_ = Late{i, std::move(done)};
      return broken;
    }
    case Choice::kBreak:
      return Break(i);
    case Choice::kLand:
      return Land(i);
    case Choice::kTell:
      return Tell(i);
    case Choice::kHangUp:
      node.streaming = false;
      node.told = 0;
      return Step(i, WatchEvent{WatchEvent::Kind::kClosed, {}, {}});
    case Choice::kFresh:
      if (!server_.lease()) node.unknown.reset();
      return Step(i, FreshRead{server_.Get(), Now(i).instant});
    case Choice::kRestart:
      ++restarts_;
      Start(i);
      return Step(i, Tick{});
    case Choice::kRelease:
      return Step(i, GiveUp{node.snapshot.term->generation});
    case Choice::kWork:
      return Step(i, StartWork{node.snapshot.term->generation});
    case Choice::kDone:
      node.work = false;
      return Step(i, FinishWork{node.work_generation});
    case Choice::kDrain:
      return Step(i, Drain{});
    case Choice::kFloor:
      return Step(i, RaiseFloor{node.snapshot.term->generation});
    default:  // kStep
      CHECK(move.choice == Choice::kStep);
      node.wall_ahead += kStep;
      return Step(i, Tick{});
  }
}

SmallWorld::Broken SmallWorld::Step(int index, const Input& input) {
  Node& node = At(index);
  ++entropy_;
  const Entropy entropy{static_cast<std::uint64_t>(index), entropy_};
  const Moment now = Now(index);
  AuthorityDigest::RewindJitter(&*node.core);
  Output output = node.core->Step(now, entropy, input);
  node.snapshot = node.core->Snapshot();
  if (!node.core->WantsWatch()) {
    node.streaming = false;
    node.told = 0;
  }
  if (const auto* start = std::get_if<StartWork>(&input)) {
    if (output.reply && !output.reply->error) {
      node.work = true;
      node.work_generation = start->generation;
    }
  }
  DropOldGrant(&node);
  if (node.unknown) Count(Rule::kTheUnknownIsReadFirst);
  if (output.request) {
    if (auto broken = CheckRequest(index, *output.request, entropy)) {
      return broken;
    }
    node.flight = Flight{std::move(*output.request), now, now_, std::nullopt};
  }
  Count(Rule::kTheLiveContend);
  if (!node.snapshot.draining && !node.flight &&
      node.core->NextDeadline(now) > seconds(10)) {
    return "S12: nothing to do, and nothing to wait for";
  }
  return CheckAnswers();
}

SmallWorld::Broken SmallWorld::Break(int index) {
  Node& node = At(index);
  const Flight flight = *std::exchange(node.flight, std::nullopt);
  if (!flight.answer && flight.request.kind != RequestKind::kRead) {
    node.lost = flight;
  }
  // A create claims nothing.
  if (flight.request.kind != RequestKind::kRead &&
      flight.request.kind != RequestKind::kCreate) {
    node.unknown = flight.request.kind;
  }
  Broken broken = Step(index, Failed(flight.request));
  if (flight.answer) {
    late_ = Late{index, {flight.request.id, *flight.answer}};
  }
  DropDeadLetters();
  return broken;
}

SmallWorld::Broken SmallWorld::Land(int index) {
  Flight flight = *std::exchange(At(index).lost, std::nullopt);
  Broken broken = Apply(index, &flight);
  return broken ? broken : CheckAnswers();
}

// The watch opens by itself; what it shows first is the state as it is.
SmallWorld::Broken SmallWorld::Tell(int index) {
  Node& node = At(index);
  if (!node.streaming) {
    node.streaming = true;
    if (Broken broken =
            Step(index, WatchEvent{WatchEvent::Kind::kOpened, {}, {}})) {
      return broken;
    }
  }
  node.told = server_.revision();
  WatchEvent event;
  event.kind =
      server_.lease() ? WatchEvent::Kind::kChanged : WatchEvent::Kind::kDeleted;
  event.record = server_.lease().value_or(LeaseRecord{});
  event.record.resource_version = std::to_string(server_.revision());
  SettleByEvent(index, event);
  return Step(index, event);
}

// S5: only a Lease that can be read, or its absence, settles what is unknown.
void SmallWorld::SettleByRead(int index, const sim::Answer& answer) {
  const bool settles = answer ? answer->record.unreadable.empty()
                              : answer.error().code == ErrorCode::kNotFound;
  if (settles) At(index).unknown.reset();
}

// An event settles no acquisition, except by showing that there is no Lease; of
// other writes it settles that another's came first, and what nothing is
// claimed from, their term being over.
void SmallWorld::SettleByEvent(int index, const WatchEvent& event) {
  Node& node = At(index);
  const bool gone = event.kind == WatchEvent::Kind::kDeleted;
  const bool anothers = !event.record.write.starts_with(node.identity + ":");
  const bool over = !node.snapshot.term;
  if (gone || ((anothers || over) && node.unknown != RequestKind::kAcquire)) {
    node.unknown.reset();
  }
}

SmallWorld::Broken SmallWorld::MakeByPeople(Choice choice) {
  if (choice == Choice::kDelete) {
    server_.Delete();
  } else {
    server_.EditByHand([choice](LeaseRecord* record) {
      if (choice == Choice::kRelabel) record->document += "label ";
      if (choice == Choice::kEmpty) record->holder.clear();
      if (choice == Choice::kShorten) record->duration_seconds = 1;
      if (choice == Choice::kForeign) {
        record->holder = "foreign";
        record->duration_seconds = 3;
      }
    });
  }
  DropDeadLetters();
  return CheckAnswers();
}

SmallWorld::Broken SmallWorld::Apply(int index, Flight* flight) {
  if (flight->request.kind == RequestKind::kRead) {
    flight->answer = server_.Get();
    return std::nullopt;
  }
  const std::string document =
      server_.lease() ? server_.lease()->document : std::string();
  flight->answer = server_.Put(flight->request.write);
  if (!*flight->answer) return std::nullopt;
  Broken broken = CheckApplied(index, *flight, document);
  DropDeadLetters();
  return broken;
}

// No term can come any more of a write that nothing shows.
void SmallWorld::DropOldGrant(Node* node) const {
  const bool shown =
      (server_.lease() && server_.lease()->write == node->granted.mark) ||
      (node->flight && node->flight->answer);
  if (!node->snapshot.term && !shown) node->granted = Grant{};
}

// A given-up write that was overtaken can land no more. The history of the
// server is for watches of another kind.
void SmallWorld::DropDeadLetters() {
  server_.Compact();
  for (int i = 0; i < count_; ++i) DropOldGrant(&At(i));
  for (int i = 0; i < count_; ++i) {
    std::optional<Flight>& lost = At(i).lost;
    if (!lost) continue;
    const LeaseWrite& write = lost->request.write;
    const bool create = write.resource_version.empty();
    const bool can_land =
        create
            ? true
            : server_.lease() && server_.lease()->uid == write.uid &&
                  server_.lease()->resource_version == write.resource_version;
    if (!can_land) lost.reset();
  }
}

}  // namespace tenure::exhaustive
