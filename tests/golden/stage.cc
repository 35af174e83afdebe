#include "tests/golden/stage.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "sidecar/authority/generation.h"

namespace tenure::golden {
namespace {

using std::chrono::milliseconds;

constexpr Duration kWatchDelay = milliseconds(1);
constexpr int kMostSteps = 2000;  // in one advance: more is a storm
constexpr Duration kBootAge = std::chrono::hours(1);
// 2026-01-01T00:00:00Z.
constexpr std::chrono::seconds kWallStart{1'767'225'600};

// "A:0...03" reads "A#3".
std::string PrintWrite(const std::string& mark) {
  const std::size_t colon = mark.rfind(':');
  if (colon == std::string::npos) return mark.empty() ? "none" : mark;
  const std::size_t digit = mark.find_first_not_of('0', colon + 1);
  const std::string hex = digit == std::string::npos ? "0" : mark.substr(digit);
  std::size_t used = 0;
  try {
    const std::uint64_t number = std::stoull(hex, &used, 16);
    if (used == hex.size()) {
      return mark.substr(0, colon) + "#" + std::to_string(number);
    }
  } catch (const std::exception&) {
  }
  return mark;
}

std::string PrintRequest(const Request& request) {
  const LeaseWrite& write = request.write;
  std::string text = RequestKindName(request.kind);
  if (request.kind == RequestKind::kRead) return text;
  if (!write.resource_version.empty()) {
    text += " on " + write.uid + "/" + write.resource_version;
  }
  text += " holder=" + (write.holder.empty() ? "nobody" : write.holder);
  text += " duration=" + std::to_string(write.duration_seconds);
  if (write.transitions) {
    text += " transitions=" + std::to_string(*write.transitions);
  }
  if (write.generation) {
    text += " generation=" + std::to_string(*write.generation);
  }
  return text + " write=" + PrintWrite(write.write);
}

std::string PrintRecord(const LeaseRecord& record) {
  std::string text = record.uid + "/" + record.resource_version;
  text += " holder=" + (record.holder.empty() ? "nobody" : record.holder);
  text += " duration=" + (record.duration_seconds
                              ? std::to_string(*record.duration_seconds)
                              : "none");
  text += " generation=" + record.generation.value_or("none");
  text += " write=" + PrintWrite(record.write);
  if (!record.document.empty()) text += " labels=" + record.document;
  if (!record.unreadable.empty()) text += " unreadable";
  return text;
}

std::string PrintTransition(const Transition& transition) {
  std::string text = TransitionKindName(transition.kind);
  if (transition.generation != 0) {
    text += " generation=" + std::to_string(transition.generation);
  }
  if (transition.kind == Transition::Kind::kHolderObserved) {
    text +=
        " holder=" + (transition.holder.empty() ? "nobody" : transition.holder);
  }
  if (!transition.reason.empty()) text += " (" + transition.reason + ")";
  if (!transition.message.empty()) text += ": " + transition.message;
  return text;
}

}  // namespace

std::string PrintDuration(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3fs",
                std::chrono::duration<double>(duration).count());
  return text;
}

Stage::Stage() = default;
Stage::~Stage() = default;

void Stage::Print(const std::string& line) { printed_ += line + "\n"; }

void Stage::Say(const Actor& actor, const std::string& text) {
  char stamp[32];
  std::snprintf(stamp, sizeof stamp, "%8.3f ",
                std::chrono::duration<double>(now_).count());
  Print(stamp + actor.name + " " + text);
}

Moment Stage::Now(const Actor& actor) const {
  // A stopped clock stands where it was when its machine stopped.
  const bool vm = actor.run == Actor::Run::kVmPaused;
  const bool raw = vm || actor.run == Actor::Run::kSuspended;
  Moment moment;
  moment.instant.boot =
      kBootAge + (vm ? actor.stopped_at : now_) - actor.boot_missed;
  moment.instant.raw =
      kBootAge + (raw ? actor.stopped_at : now_) - actor.raw_missed;
  moment.wall.since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(kWallStart + now_ +
                                                            actor.wall_shift);
  return moment;
}

void Stage::At(Duration when, std::function<void()> act) {
  pending_.push(Pending{when, ++order_, std::move(act)});
}

Stage::Actor& Stage::Find(const std::string& name) {
  auto found = actors_.find(name);
  if (found == actors_.end()) throw std::invalid_argument("no actor " + name);
  return *found->second;
}

void Stage::AdvanceTo(Duration until) {
  for (int steps = 0; steps < kMostSteps; ++steps) {
    Actor* next = nullptr;
    for (auto& [name, actor] : actors_) {
      if (actor->run != Actor::Run::kRunning) continue;
      if (next == nullptr || actor->wake_at < next->wake_at) {
        next = actor.get();
      }
    }
    const Duration wake = next != nullptr ? next->wake_at : Duration::max();
    const Duration arrival =
        pending_.empty() ? Duration::max() : pending_.top().at;
    if (std::min(wake, arrival) > until) {
      now_ = std::max(now_, until);
      return;
    }
    now_ = std::max(now_, std::min(wake, arrival));
    if (arrival <= wake) {
      auto act = pending_.top().act;
      pending_.pop();
      act();
    } else {
      Step(*next, Tick{});
    }
  }
  Print("a storm: more than " + std::to_string(kMostSteps) + " steps");
}

void Stage::Step(Actor& actor, const Input& input) {
  const Entropy entropy{0, writes_ + 1};
  const Output output = actor.core->Step(Now(actor), entropy, input);
  for (const Transition& transition : output.transitions) {
    Say(actor, "* " + PrintTransition(transition));
  }
  if (output.reply) {
    Say(actor,
        "= " +
            (output.reply->error
                 ? std::string(ErrorCodeName(output.reply->error->code)) +
                       ": " + output.reply->error->message
                 : "ok") +
            (output.reply->generation != 0
                 ? " generation=" + std::to_string(output.reply->generation)
                 : ""));
  }
  if (output.request) {
    if (!output.request->write.write.empty()) ++writes_;
    Send(actor, *output.request);
  }
  ShowAnswer(actor, false);
  const Duration due = actor.core->NextDeadline(Now(actor));
  actor.wake_at =
      due == Duration::max() ? due : now_ + std::max(due, Duration{1000});
  SteerWatch(actor);
}

void Stage::Send(Actor& actor, const Request& request) {
  Say(actor, "> " + PrintRequest(request));
  if (actor.request) Print("TWO REQUESTS IN FLIGHT");
  actor.request = request;
  actor.answer.reset();
  const std::string name = actor.name;
  const std::uint64_t id = request.id;
  if (!actor.manual && !actor.down) {
    At(now_ + actor.latency / 2, [this, name, id] {
      auto found = actors_.find(name);
      if (found == actors_.end()) return;
      if (found->second->request && found->second->request->id == id) {
        Apply(*found->second);
      }
    });
    At(now_ + actor.latency, [this, name, id] {
      auto found = actors_.find(name);
      if (found == actors_.end()) return;
      Actor& sender = *found->second;
      if (sender.request && sender.request->id == id && sender.answer) {
        Finish(sender, *sender.answer);
      }
    });
  }
  At(now_ + request.limit, [this, name, id] {
    auto found = actors_.find(name);
    if (found == actors_.end()) return;
    Actor& sender = *found->second;
    if (!sender.request || sender.request->id != id) return;
    sender.Lose();
    Finish(sender, std::unexpected(StoreError{ErrorCode::kOutcomeUnknown,
                                              "no answer", Duration{0}}));
  });
}

void Stage::Apply(Actor& actor) {
  const Request& request = *actor.request;
  actor.answer = request.kind == RequestKind::kRead
                     ? server_.Get()
                     : server_.Put(request.write);
  TellWatches();
}

void Stage::Finish(Actor& actor, sim::Answer answer) {
  RequestDone done{actor.request->id, std::move(answer)};
  actor.request.reset();
  actor.answer.reset();
  Feed(actor, std::move(done));
}

void Stage::Feed(Actor& actor, Input input) {
  if (actor.run != Actor::Run::kRunning) {
    actor.inbox.push_back(std::move(input));
    return;
  }
  if (const auto* done = std::get_if<RequestDone>(&input)) {
    Say(actor, done->result
                   ? std::string(done->result->created ? "< 201 " : "< 200 ") +
                         PrintRecord(done->result->record)
                   : "< " +
                         std::string(ErrorCodeName(done->result.error().code)) +
                         ": " + done->result.error().message);
  }
  Step(actor, input);
}

void Stage::FeedSoon(const std::string& name, Duration delay, Input input) {
  At(now_ + delay, [this, name, input = std::move(input)] {
    auto found = actors_.find(name);
    if (found == actors_.end() || !found->second->watch_open) return;
    Feed(*found->second, input);
  });
}

void Stage::TellWatches() {
  for (const auto& change : server_.changes()) {
    if (change.revision <= revision_told_) continue;
    for (auto& [name, actor] : actors_) {
      if (actor->watch_open) FeedSoon(name, kWatchDelay, change.event);
    }
  }
  revision_told_ = server_.revision();
}

void Stage::SteerWatch(Actor& actor) {
  const bool wants =
      actor.core->WantsWatch() && actor.watch_allowed && !actor.watch_denied;
  if (wants == actor.watch_open) return;
  actor.watch_open = wants;
  if (!wants) return;
  WatchEvent opened;
  opened.kind = WatchEvent::Kind::kOpened;
  FeedSoon(actor.name, kWatchDelay, opened);
  const std::string& from = actor.core->WatchFrom();
  for (const auto& change : server_.changes()) {
    if (CompareResourceVersions(change.event.record.resource_version, from) >
        0) {
      FeedSoon(actor.name, kWatchDelay, change.event);
    }
  }
}

void Stage::ShowAnswer(Actor& actor, bool always) {
  const CertaintyAnswer answer =
      CertaintyAt(actor.core->Snapshot(), Now(actor));
  std::string text = CertaintyName(answer.certainty);
  if (answer.generation != 0) text += " " + std::to_string(answer.generation);
  if (answer.reason[0] != '\0') text += " (" + std::string(answer.reason) + ")";
  const bool news = text != actor.last_answer;
  actor.last_answer = text;
  if (!always && !news) return;
  if (answer.until_renew_by > Duration{0}) {
    text += ", doubt in " + PrintDuration(answer.until_renew_by);
  }
  if (answer.until_valid_until > Duration{0}) {
    text += ", over in " + PrintDuration(answer.until_valid_until);
  }
  Say(actor, "is " + text);
}

std::string Stage::Run(const std::string& command) {
  printed_.clear();
  const Words words = SplitWords(command);
  try {
    (this->*FindCommand(words.at(0)))(words);
  } catch (const std::exception& error) {
    Print(std::string("cannot run this: ") + error.what());
  }
  return printed_;
}

// Here, because only this file prints records.
void Stage::ShowLease() {
  Print(server_.lease() ? "lease " + PrintRecord(*server_.lease())
                        : "no lease");
}

}  // namespace tenure::golden
