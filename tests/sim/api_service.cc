#include "tests/sim/api_service.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tenure::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Answer Error(ErrorCode code, const char* message,
             Duration retry_after = Duration{0}) {
  return std::unexpected(StoreError{code, message, retry_after});
}

std::shared_ptr<const WatchEvent> Bare(WatchEvent::Kind kind) {
  WatchEvent event;
  event.kind = kind;
  return std::make_shared<const WatchEvent>(std::move(event));
}

std::int64_t RevisionOf(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

ApiService::ApiService(Scene* scene, int nodes, int leases)
    : scene_(scene),
      links_(static_cast<std::size_t>(nodes)),
      newest_arrived_(static_cast<std::size_t>(nodes)),
      past_(static_cast<std::size_t>(leases)),
      terms_(static_cast<std::size_t>(leases)),
      recurring_until_(static_cast<std::size_t>(leases), 0) {
  for (int i = 0; i < leases; ++i) {
    leases_.emplace_back(scene->chance.Between(0, 5000));
  }
  for (int i = 0; i < nodes; ++i) {
    replica_.push_back(static_cast<std::size_t>(i) % kReplicas);
  }
}

Duration ApiService::Lag(int node) const {
  return server_.lag[replica_[static_cast<std::size_t>(node)]];
}

Answer ApiService::Read(int node, int lease_index) {
  Answer now = lease(lease_index).Get();
  const Duration lag = Lag(node);
  if (lag == Duration{0}) return now;
  const auto& past = past_[static_cast<std::size_t>(lease_index)];
  const auto after = std::upper_bound(
      past.begin(), past.end(), scene_->now() - lag,
      [](TrueTime at, const Past& one) { return at < one.at; });
  if (after == past.end() || after == past.begin()) return now;
  scene_->Count(Fault::kStaleRead);
  const WatchEvent& then = *std::prev(after)->event;
  if (then.kind == WatchEvent::Kind::kDeleted) {
    return Error(ErrorCode::kNotFound, "404: not yet");
  }
  return LeaseReply{false, then.record};
}

Duration ApiService::Trip(const Link& link) {
  return link.one_way + scene_->chance.Between(Duration{0}, link.jitter);
}

bool ApiService::Reachable(int node) {
  return !server_.down && !link(node).partitioned && !link(node).refused;
}

void ApiService::Send(const Origin& origin, const Request& request,
                      Reply reply) {
  Link& way = link(origin.node);
  const auto sent =
      std::make_shared<Exchange>(origin, request, std::move(reply));
  sent->number = ++last_number_;
  if (way.refused || server_.down) {
    scene_->Count(way.refused ? Fault::kRefused : Fault::kServerRestart);
    return AnswerIn(milliseconds(1), sent,
                    Error(ErrorCode::kNotSent, "connection refused"));
  }
  const bool lost =
      way.partitioned || scene_->chance.Permille(way.request_lost);
  if (lost) {
    scene_->Count(way.partitioned ? Fault::kPartition : Fault::kRequestLost);
    if (!scene_->chance.Permille(way.late)) return;
    // Given up by its sender, and on its way all the same (S5).
    return ArriveIn(scene_->chance.LongTail(seconds(1), seconds(60)),
                    Unheard(*sent, Fault::kLateWrite));
  }
  if (scene_->chance.Permille(way.duplicate)) {
    ArriveIn(scene_->chance.LongTail(milliseconds(1), seconds(20)),
             Unheard(*sent, Fault::kDuplicate));
  }
  if (scene_->chance.Permille(way.reset)) {
    scene_->Count(Fault::kReset);
    AnswerIn(Trip(way), sent,
             Error(ErrorCode::kOutcomeUnknown, "connection reset"));
    if (scene_->chance.Permille(500)) return;
    return ArriveIn(Trip(way), Unheard(*sent, Fault::kReset));
  }
  if (way.one_way > Link{}.one_way) scene_->Count(Fault::kSlowLink);
  ArriveIn(Trip(way), sent);
}

// The same request, whose answer nobody hears.
ApiService::Sent ApiService::Unheard(const Exchange& sent, Fault why) {
  auto unheard = std::make_shared<Exchange>(sent.origin, sent.request, nullptr);
  unheard->unheard = why;
  return unheard;
}

// A read whose answer nobody hears feels nothing.
void ApiService::CountFor(const Exchange& sent, Fault fault) {
  if (sent.reply || sent.request.kind != RequestKind::kRead) {
    scene_->Count(fault);
  }
}

void ApiService::ArriveIn(Duration delay, Sent sent) {
  scene_->queue.In(delay, [this, sent = std::move(sent)] { Arrive(sent); });
}

void ApiService::AnswerIn(Duration delay, const Sent& sent, Answer answer) {
  if (!sent->reply) return;
  sent->answer = std::move(answer);
  scene_->queue.In(delay, [sent] { sent->reply(sent); });
}

void ApiService::Arrive(const Sent& sent) {
  if (server_.down) return;  // its connections died with it
  Chance& chance = scene_->chance;
  if (server_.storage > Duration{0} && !std::exchange(sent->stored, true) &&
      sent->request.kind != RequestKind::kRead) {
    scene_->Count(Fault::kSlowStorage);
    return ArriveIn(chance.Between(Duration{0}, server_.storage), sent);
  }
  std::uint64_t& newest =
      newest_arrived_[static_cast<std::size_t>(sent->origin.node)];
  if (sent->number < newest) scene_->Count(Fault::kReordered);
  newest = std::max(newest, sent->number);
  if (chance.Permille(server_.throttled)) {
    CountFor(*sent, Fault::kThrottled);
    return Answered(sent, Error(ErrorCode::kThrottled, "429",
                                seconds(chance.Between(0, 30))));
  }
  if (chance.Permille(server_.unauthorized)) {
    CountFor(*sent, Fault::kUnauthorized);
    return Answered(sent, Error(ErrorCode::kUnauthenticated, "401"));
  }
  const bool error = chance.Permille(server_.error);
  if (error && chance.Permille(500)) {
    CountFor(*sent, Fault::kServerError);
    return Answered(sent, Error(ErrorCode::kOutcomeUnknown, "503"));
  }
  // What comes twice is felt also where it is refused.
  if (sent->unheard == Fault::kDuplicate) CountFor(*sent, Fault::kDuplicate);
  Answer answer = Apply(sent->origin, sent->request);
  if (answer && sent->unheard == Fault::kLateWrite) {
    CountFor(*sent, Fault::kLateWrite);
  }
  if (error) {
    CountFor(*sent, Fault::kAppliedError);
    answer = Error(ErrorCode::kOutcomeUnknown, "504");
  }
  Answered(sent, std::move(answer));
}

void ApiService::Answered(const Sent& sent, Answer answer) {
  Link& way = link(sent->origin.node);
  const bool silent = way.partitioned || way.half_open;
  if (silent || scene_->chance.Permille(way.reply_lost)) {
    if (!sent->reply) return;
    scene_->Count(way.partitioned ? Fault::kPartition
                  : way.half_open ? Fault::kHalfOpen
                                  : Fault::kReplyLost);
    if (sent->request.kind == RequestKind::kRelease) {
      scene_->Count(Fault::kReleaseAnswerLost);
    }
    return;
  }
  AnswerIn(Trip(way), sent, std::move(answer));
}

Answer ApiService::Apply(const Origin& origin, const Request& request) {
  ApiServerModel& model = lease(origin.lease);
  if (request.kind == RequestKind::kRead) {
    return Read(origin.node, origin.lease);
  }
  const std::string before =
      model.lease() ? model.lease()->document : std::string();
  Answer answer = model.Put(request.write);
  if (!answer) {
    if (answer.error().code == ErrorCode::kConflict) {
      scene_->Count(Fault::kConflict);
    }
    return answer;
  }
  Applied applied;
  applied.at = scene_->now();
  applied.node = origin.node;
  applied.lease = origin.lease;
  applied.process = origin.process;
  applied.kind = request.kind;
  applied.generation = request.write.generation.value_or(0);
  applied.mark = request.write.write;
  applied.holder = request.write.holder;
  applied.created = answer->created;
  applied.document_kept = answer->created || request.write.document == before;
  if (request.kind == RequestKind::kAcquire) {
    terms_[static_cast<std::size_t>(origin.lease)].push_back(
        AcquiredTerm{applied.holder, applied.generation});
  }
  scene_->history.applied.push_back(std::move(applied));
  TellWatches(origin.lease);
  return answer;
}

int ApiService::TermOf(int lease, const std::string& holder,
                       std::int64_t generation) const {
  const auto& terms = terms_[static_cast<std::size_t>(lease)];
  for (std::size_t i = terms.size(); i > 0; --i) {
    if (terms[i - 1].generation == generation &&
        terms[i - 1].holder == holder) {
      return static_cast<int>(i);
    }
  }
  return 0;
}

std::uint64_t ApiService::OpenWatch(int node, int lease_index,
                                    const std::string& from, EventSink sink) {
  const std::uint64_t id = ++last_watch_;
  ApiServerModel& model = lease(lease_index);
  Watch& watch = watches_[id];
  watch = Watch{node, lease_index, model.revision(), scene_->now(),
                std::move(sink)};
  Deliver(id, watch, Bare(WatchEvent::Kind::kOpened));
  if (from.empty()) {
    if (model.lease()) {
      WatchEvent event;
      event.kind = WatchEvent::Kind::kChanged;
      event.record = *model.lease();
      Deliver(id, watch, std::make_shared<const WatchEvent>(std::move(event)));
    }
    return id;
  }
  watch.told = RevisionOf(from);
  if (watch.told < model.compacted()) {
    scene_->Count(Fault::kWatchExpired);
    Deliver(id, watch, Bare(WatchEvent::Kind::kExpired));
    return id;
  }
  TellWatches(lease_index);
  return id;
}

void ApiService::Deliver(std::uint64_t id, Watch& watch, Event event) {
  Link& way = link(watch.node);
  if (way.watch_lag > Duration{0}) scene_->Count(Fault::kWatchStale);
  if (Lag(watch.node) > Duration{0}) scene_->Count(Fault::kLaggingReplica);
  watch.last_delivery =
      std::max(scene_->now() + Trip(way) + way.watch_lag + Lag(watch.node),
               watch.last_delivery);
  scene_->queue.At(watch.last_delivery, [this, id, event = std::move(event)] {
    const auto found = watches_.find(id);
    if (found == watches_.end()) return;
    // A partition swallows it; the watch finds out later.
    const Link& now = link(found->second.node);
    if (now.partitioned || now.half_open) return;
    found->second.sink(event);
  });
}

void ApiService::TellWatches(int lease_index) {
  const ApiServerModel& model = lease(lease_index);
  Remember(lease_index);
  std::int64_t& until = recurring_until_[static_cast<std::size_t>(lease_index)];
  if (until != 0 && model.revision() > until) {
    until = 0;
    scene_->Note(Incident::Kind::kRevisionsNew, -1, lease_index, 0);
  }
  const auto& past = past_[static_cast<std::size_t>(lease_index)];
  for (auto& [id, watch] : watches_) {
    if (watch.lease != lease_index) continue;
    auto change = model.changes().end();
    while (change != model.changes().begin() &&
           std::prev(change)->revision > watch.told) {
      --change;
    }
    for (; change != model.changes().end(); ++change) {
      watch.told = change->revision;
      if (std::next(change) != model.changes().end()) {
        Deliver(id, watch, std::make_shared<const WatchEvent>(change->event));
        continue;
      }
      Deliver(id, watch, past.back().event);  // shared by all
    }
  }
}

void ApiService::Remember(int lease_index) {
  constexpr std::size_t kKept = 64;
  const ApiServerModel& model = lease(lease_index);
  if (model.changes().empty()) return;
  auto& past = past_[static_cast<std::size_t>(lease_index)];
  past.push_back(Past{scene_->now(), std::make_shared<const WatchEvent>(
                                         model.changes().back().event)});
  if (past.size() > kKept) past.pop_front();
}

void ApiService::BreakWatches(int node) {
  for (std::size_t i = 0; i < replica_.size(); ++i) {
    // Connected again, to whichever replica answers.
    if (node < 0 || i == static_cast<std::size_t>(node)) {
      replica_[i] = scene_->chance.Next() % kReplicas;
    }
  }
  for (auto& [id, watch] : watches_) {
    if (node >= 0 && watch.node != node) continue;
    scene_->Count(Fault::kWatchBroken);
    // Told by the transport, not by the server: no partition swallows it.
    scene_->queue.In(milliseconds(1), [sink = watch.sink] {
      sink(Bare(WatchEvent::Kind::kClosed));
    });
  }
  std::erase_if(watches_, [node](const auto& entry) {
    return node < 0 || entry.second.node == node;
  });
}

void ApiService::Restore(int lease_index, const ApiServerModel::Backup& backup,
                         bool bump) {
  std::int64_t& until = recurring_until_[static_cast<std::size_t>(lease_index)];
  if (!bump) until = std::max(until, lease(lease_index).revision());
  lease(lease_index).Restore(backup, bump);
  past_[static_cast<std::size_t>(lease_index)].clear();
  BreakWatches(-1);
  scene_->Note(Incident::Kind::kRestored, -1, lease_index, bump ? 1 : 0);
}

}  // namespace tenure::sim
