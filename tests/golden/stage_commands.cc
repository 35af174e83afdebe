// What a story can say. Each command is a few lines; a mistake in a story is
// printed as part of its output.
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "sidecar/authority/renewal_schedule.h"
#include "tests/golden/stage.h"

namespace tenure::golden {
namespace {

Duration ReadDuration(const Settings& settings, const std::string& key,
                      Duration otherwise) {
  auto found = settings.find(key);
  return found == settings.end() ? otherwise : ParseDuration(found->second);
}

std::int64_t ReadNumber(const Settings& settings, const std::string& key,
                        std::int64_t otherwise) {
  auto found = settings.find(key);
  return found == settings.end() ? otherwise : std::stoll(found->second);
}

std::string ReadText(const Settings& settings, const std::string& key,
                     const std::string& otherwise) {
  auto found = settings.find(key);
  return found == settings.end() ? otherwise : found->second;
}

// "holder=nobody duration=none generation=x labels=y" onto a record.
void ApplySettings(const Settings& settings, LeaseRecord* record) {
  for (const auto& [key, value] : settings) {
    if (key == "holder") {
      record->holder = value == "nobody" ? "" : value;
    } else if (key == "duration") {
      record->duration_seconds.reset();
      if (value != "none") {
        record->duration_seconds = static_cast<std::int32_t>(std::stol(value));
      }
    } else if (key == "generation") {
      record->generation.reset();
      if (value != "none") record->generation = value;
    } else if (key == "write") {
      record->write = value == "none" ? "" : value;
    } else if (key == "renewed") {  // microseconds since the epoch
      record->renew_time =
          WallTime{std::chrono::microseconds(std::stoll(value))};
    } else if (key == "labels") {
      record->document = value;
    } else if (key == "unreadable") {
      record->unreadable = value == "no" ? "" : value;
    } else {
      throw std::invalid_argument("unknown field " + key);
    }
  }
}

ErrorCode ReadCode(const std::string& name) {
  for (const ErrorCode code :
       {ErrorCode::kConflict, ErrorCode::kUnauthenticated,
        ErrorCode::kForbidden, ErrorCode::kThrottled, ErrorCode::kNotSent,
        ErrorCode::kOutcomeUnknown, ErrorCode::kRefused,
        ErrorCode::kNotFound}) {
    if (name == ErrorCodeName(code)) return code;
  }
  throw std::invalid_argument("no error called " + name);
}

}  // namespace

Words SplitWords(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Settings ParseSettings(const Words& words, std::size_t from) {
  Settings settings;
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) {
      throw std::invalid_argument("expected key=value, found " + words[i]);
    }
    settings[words[i].substr(0, equals)] = words[i].substr(equals + 1);
  }
  return settings;
}

Duration ParseDuration(const std::string& text) {
  std::size_t used = 0;
  const double number = std::stod(text, &used);
  const std::string unit = text.substr(used);
  const double scale = unit == "ms"  ? 1e6
                       : unit == "s" ? 1e9
                       : unit == "m" ? 60e9
                                     : 0;
  if (scale == 0) throw std::invalid_argument("no duration: " + text);
  return Duration{static_cast<std::int64_t>(number * scale)};
}

// new A [identity= duration=15s deadline=10s interval=2s drift=1%
//        absent=take min-generation= foreign=yes network=manual]
void Stage::CmdNew(const Words& words) {
  const Settings settings = ParseSettings(words, 2);
  auto actor = std::make_unique<Actor>();
  actor->name = words.at(1);
  AuthorityOptions options;
  options.identity = ReadText(settings, "identity", actor->name);
  LeaseTimes times;
  times.lease_duration_seconds = static_cast<std::int32_t>(
      ReadDuration(settings, "duration", std::chrono::seconds(15)) /
      std::chrono::seconds(1));
  times.renew_deadline =
      ReadDuration(settings, "deadline", times.renew_deadline);
  times.renew_interval =
      ReadDuration(settings, "interval", times.renew_interval);
  times.foreign_contenders = ReadText(settings, "foreign", "no") == "yes";
  auto effective = EffectiveTimes(times);
  if (!effective) throw std::invalid_argument(effective.error().message);
  options.times = *effective;
  if (ReadText(settings, "absent", "wait") == "take") {
    options.absent_lease = AbsentLease::kTake;
  }
  options.min_generation = ReadNumber(settings, "min-generation", 0);
  options.jitter_seed = 1;
  actor->core = std::make_unique<LeaseAuthority>(options);
  actor->manual = ReadText(settings, "network", "auto") == "manual";
  Actor& stored = *(actors_[words[1]] = std::move(actor));
  Step(stored, Tick{});
}

// advance 2s
void Stage::CmdAdvance(const Words& words) {
  AdvanceTo(now_ + ParseDuration(words.at(1)));
}

// network A auto [latency=10ms] | manual | down
void Stage::CmdNetwork(const Words& words) {
  Actor& actor = Find(words.at(1));
  const std::string& mode = words.at(2);
  actor.manual = mode == "manual";
  actor.down = mode == "down";
  actor.latency =
      ReadDuration(ParseSettings(words, 3), "latency", actor.latency);
}

// deliver A        the server applies the request and the answer arrives;
//                  `deliver A created`: as a 201
// apply A          the server applies it; the answer is still on its way
// answer A         that answer arrives
// lose-answer A    the server applies it; the answer never arrives
// drop A           the request never arrives, and A never hears of it
// fail A CODE      answered with that error, not applied
// break A          the connection breaks now: outcome unknown
// land A           a request that A gave up reaches the server after all
void Stage::CmdRequest(const Words& words) {
  const std::string& verb = words.at(0);
  Actor& actor = Find(words.at(1));
  if (verb == "land") {
    if (!actor.lost) throw std::invalid_argument("nothing was given up");
    const sim::Answer answer = server_.Put(actor.lost->write);
    actor.lost.reset();
    Print(answer ? "applied" : "refused: " + answer.error().message);
    TellWatches();
    return;
  }
  if (!actor.request) throw std::invalid_argument("no request in flight");
  if (verb == "deliver" || verb == "apply" || verb == "lose-answer") {
    Apply(actor);
  }
  if (verb == "lose-answer") actor.answer.reset();
  if (words.size() > 2 && words[2] == "created" && actor.answer &&
      *actor.answer) {
    (*actor.answer)->created = true;
  }
  if (verb == "deliver" || verb == "answer") {
    if (!actor.answer) throw std::invalid_argument("not applied yet");
    Finish(actor, *actor.answer);
  }
  if (verb == "break") {
    actor.Lose();
    Finish(actor, std::unexpected(StoreError{ErrorCode::kOutcomeUnknown,
                                             "connection reset", Duration{0}}));
  }
  if (verb == "fail") {
    const ErrorCode code = ReadCode(words.at(2));
    const Duration wait =
        ReadDuration(ParseSettings(words, 3), "retry-after", Duration{0});
    Finish(actor, std::unexpected(StoreError{code, "the story says so", wait}));
  }
}

// freeze A | suspend A | vm-pause A: the process stops; in suspension raw
// stops, in a paused machine boot stops too (and the wall, until stepped).
// resume A [wall=behind], wall A +5s
void Stage::CmdClock(const Words& words) {
  const std::string& verb = words.at(0);
  Actor& actor = Find(words.at(1));
  if (verb == "wall") {
    actor.wall_shift += ParseDuration(words.at(2));
    if (actor.run == Actor::Run::kRunning) Step(actor, Tick{});
    return;
  }
  if (verb != "resume") {
    actor.run = verb == "freeze"    ? Actor::Run::kFrozen
                : verb == "suspend" ? Actor::Run::kSuspended
                                    : Actor::Run::kVmPaused;
    actor.stopped_at = now_;
    return;
  }
  const Duration missed = now_ - actor.stopped_at;
  if (actor.run == Actor::Run::kVmPaused) actor.boot_missed += missed;
  if (actor.run != Actor::Run::kFrozen) actor.raw_missed += missed;
  if (ReadText(ParseSettings(words, 2), "wall", "right") == "behind") {
    actor.wall_shift -= missed;
  }
  actor.run = Actor::Run::kRunning;
  ShowAnswer(actor, true);  // what a reader hears before the driver moves
  for (Input& input : std::exchange(actor.inbox, {})) {
    Feed(actor, std::move(input));
  }
  Step(actor, Tick{});
}

// work A 34 | done A 34 | release A 34 | floor A 50 | drain A | fresh A
void Stage::CmdControl(const Words& words) {
  const std::string& verb = words.at(0);
  Actor& actor = Find(words.at(1));
  if (verb == "drain") return Step(actor, Drain{});
  if (verb == "fresh") {
    return Step(actor, FreshRead{server_.Get(), Now(actor).instant});
  }
  const std::int64_t number = std::stoll(words.at(2));
  if (verb == "work") return Step(actor, StartWork{number});
  if (verb == "done") return Step(actor, FinishWork{number});
  if (verb == "release") return Step(actor, GiveUp{number});
  Step(actor, RaiseFloor{number});
}

// watch A off | on | denied | bookmark | expired
void Stage::CmdWatch(const Words& words) {
  Actor& actor = Find(words.at(1));
  const std::string& what = words.at(2);
  WatchEvent event;
  if (what == "off" || what == "denied") {
    event.kind =
        what == "off" ? WatchEvent::Kind::kClosed : WatchEvent::Kind::kDenied;
    if (what == "denied") event.message = "watch is not allowed";
    actor.watch_allowed = false;
    actor.watch_denied = actor.watch_denied || what == "denied";
  } else if (what == "on") {
    actor.watch_allowed = true;
    return SteerWatch(actor);
  } else {
    event.kind = what == "expired" ? WatchEvent::Kind::kExpired
                                   : WatchEvent::Kind::kBookmark;
  }
  if (actor.watch_open || what == "denied") Feed(actor, event);
}

// api revision 32 | show | create F=V.. | edit F=V.. | delete | spend N |
//     save NAME | restore NAME | webhook F=V..|off | compact
void Stage::CmdApi(const Words& words) {
  const std::string& verb = words.at(1);
  if (verb == "revision" || verb == "spend") {
    const std::int64_t number = std::stoll(words.at(2));
    server_.SpendRevisions(verb == "spend" ? number
                                           : number - server_.revision());
  } else if (verb == "create") {
    LeaseRecord record;
    ApplySettings(ParseSettings(words, 2), &record);
    server_.CreateByHand(std::move(record));
  } else if (verb == "edit") {
    const Settings settings = ParseSettings(words, 2);
    const bool found = server_.EditByHand(
        [&](LeaseRecord* record) { ApplySettings(settings, record); });
    if (!found) throw std::invalid_argument("no lease to edit");
  } else if (verb == "delete") {
    if (!server_.Delete()) throw std::invalid_argument("no lease to delete");
  } else if (verb == "save") {
    backups_[words.at(2)] = server_.Save();
    return Print("saved at revision " + std::to_string(server_.revision()));
  } else if (verb == "restore") {
    server_.Restore(backups_.at(words.at(2)));
    revision_told_ = server_.revision();
    WatchEvent expired;
    expired.kind = WatchEvent::Kind::kExpired;
    for (auto& [name, actor] : actors_) {
      if (actor->watch_open)
        FeedSoon(name, std::chrono::milliseconds(1), expired);
    }
  } else if (verb == "webhook") {
    if (words.at(2) == "off") return server_.SetWebhook(nullptr);
    const Settings settings = ParseSettings(words, 2);
    return server_.SetWebhook(
        [settings](LeaseRecord* record) { ApplySettings(settings, record); });
  } else if (verb != "show") {
    throw std::invalid_argument("no api command " + verb);
  }
  TellWatches();
  ShowLease();
}

// store raise N | write N WHAT | show: the fenced store keeps the highest
// generation raised there and refuses every write below it.
void Stage::CmdStore(const Words& words) {
  const std::string& verb = words.at(1);
  if (verb == "show") {
    return Print("store holds " + store_value_ + ", fence at " +
                 std::to_string(store_raised_));
  }
  const std::int64_t generation = std::stoll(words.at(2));
  if (generation < store_raised_) {
    return Print("store refused " + words[2] + ": the fence is at " +
                 std::to_string(store_raised_));
  }
  store_raised_ = generation;
  if (verb == "write") store_value_ = words.at(3);
  Print("store accepted " + words[2]);
}

// status A
void Stage::CmdStatus(const Words& words) {
  ShowAnswer(Find(words.at(1)), true);
  const AuthoritySnapshot snapshot = Find(words[1]).core->Snapshot();
  std::string text = "  observed holder=" +
                     (snapshot.holder.empty() ? "nobody" : snapshot.holder);
  text += " generation=" + std::to_string(snapshot.holder_generation);
  text += " work=" + std::to_string(snapshot.work_running);
  if (snapshot.draining) text += " draining";
  if (snapshot.finished) text += " finished";
  if (!snapshot.refusal.empty()) text += "\n  refused: " + snapshot.refusal;
  Print(text);
}

// kill A: the process dies; what it sent stays on its way.
void Stage::CmdKill(const Words& words) {
  Find(words.at(1));
  actors_.erase(words[1]);
}

// contend A yes|no
void Stage::CmdContend(const Words& words) {
  Step(Find(words.at(1)), SetContention{words.at(2) == "yes"});
}

Stage::Command Stage::FindCommand(const std::string& verb) {
  static const std::map<std::string, Command> kCommands = {
      {"new", &Stage::CmdNew},         {"advance", &Stage::CmdAdvance},
      {"network", &Stage::CmdNetwork}, {"deliver", &Stage::CmdRequest},
      {"apply", &Stage::CmdRequest},   {"answer", &Stage::CmdRequest},
      {"drop", &Stage::CmdRequest},    {"lose-answer", &Stage::CmdRequest},
      {"fail", &Stage::CmdRequest},    {"break", &Stage::CmdRequest},
      {"land", &Stage::CmdRequest},    {"freeze", &Stage::CmdClock},
      {"suspend", &Stage::CmdClock},   {"vm-pause", &Stage::CmdClock},
      {"resume", &Stage::CmdClock},    {"wall", &Stage::CmdClock},
      {"work", &Stage::CmdControl},    {"done", &Stage::CmdControl},
      {"release", &Stage::CmdControl}, {"floor", &Stage::CmdControl},
      {"drain", &Stage::CmdControl},   {"fresh", &Stage::CmdControl},
      {"watch", &Stage::CmdWatch},     {"api", &Stage::CmdApi},
      {"store", &Stage::CmdStore},     {"status", &Stage::CmdStatus},
      {"kill", &Stage::CmdKill},       {"contend", &Stage::CmdContend},
  };
  auto found = kCommands.find(verb);
  if (found == kCommands.end()) {
    throw std::invalid_argument("no command " + verb);
  }
  return found->second;
}

}  // namespace tenure::golden
