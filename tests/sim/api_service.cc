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

std::int64_t RevisionOf(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

ApiService::ApiService(Scene* scene, int nodes, int leases)
    : scene_(scene),
      links_(static_cast<std::size_t>(nodes)),
      terms_(static_cast<std::size_t>(leases)),
      recurring_until_(static_cast<std::size_t>(leases), 0) {
  for (int i = 0; i < leases; ++i) {
    leases_.emplace_back(scene->chance.Between(0, 5000));
  }
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
  const auto answer = std::make_shared<Reply>(std::move(reply));
  if (way.refused || server_.down) {
    scene_->Count(way.refused ? Fault::kRefused : Fault::kServerRestart);
    scene_->queue.In(milliseconds(1), [answer] {
      (*answer)(Error(ErrorCode::kNotSent, "connection refused"));
    });
    return;
  }
  const auto shared = std::make_shared<const Request>(request);
  const auto none = std::make_shared<Reply>([](const Answer&) {});
  const bool lost =
      way.partitioned || scene_->chance.Permille(way.request_lost);
  if (lost) {
    scene_->Count(way.partitioned ? Fault::kPartition : Fault::kRequestLost);
    if (!scene_->chance.Permille(way.late)) return;
    // Given up by its sender, and on its way all the same (S5).
    scene_->Count(Fault::kLateWrite);
    scene_->queue.In(
        scene_->chance.LongTail(seconds(1), seconds(60)),
        [this, origin, shared, none] { Arrive(origin, shared, none); });
    return;
  }
  if (scene_->chance.Permille(way.duplicate)) {
    scene_->Count(Fault::kDuplicate);
    scene_->queue.In(
        scene_->chance.LongTail(milliseconds(1), seconds(20)),
        [this, origin, shared, none] { Arrive(origin, shared, none); });
  }
  if (scene_->chance.Permille(way.reset)) {
    scene_->Count(Fault::kReset);
    scene_->queue.In(Trip(way), [this, answer] {
      (*answer)(Error(ErrorCode::kOutcomeUnknown, "connection reset"));
    });
    if (scene_->chance.Permille(500)) return;
    scene_->queue.In(Trip(way), [this, origin, shared, none] {
      Arrive(origin, shared, none);
    });
    return;
  }
  scene_->queue.In(Trip(way), [this, origin, shared, answer] {
    Arrive(origin, shared, answer);
  });
}

void ApiService::Arrive(const Origin& origin, const Shared& request,
                        const std::shared_ptr<Reply>& reply) {
  if (server_.down) return;  // its connections died with it
  Chance& chance = scene_->chance;
  if (chance.Permille(server_.throttled)) {
    scene_->Count(Fault::kThrottled);
    return Answered(
        origin,
        Error(ErrorCode::kThrottled, "429", seconds(chance.Between(0, 30))),
        reply);
  }
  if (chance.Permille(server_.unauthorized)) {
    scene_->Count(Fault::kUnauthorized);
    return Answered(origin, Error(ErrorCode::kUnauthenticated, "401"), reply);
  }
  const bool error = chance.Permille(server_.error);
  if (error) scene_->Count(Fault::kServerError);
  if (error && chance.Permille(500)) {
    return Answered(origin, Error(ErrorCode::kOutcomeUnknown, "503"), reply);
  }
  Answer answer = Apply(origin, *request);
  if (error) answer = Error(ErrorCode::kOutcomeUnknown, "504");
  Answered(origin, std::move(answer), reply);
}

void ApiService::Answered(const Origin& origin, Answer answer,
                          const std::shared_ptr<Reply>& reply) {
  Link& way = link(origin.node);
  if (way.partitioned || scene_->chance.Permille(way.reply_lost)) {
    scene_->Count(Fault::kReplyLost);
    return;
  }
  const auto kept = std::make_shared<Answer>(std::move(answer));
  scene_->queue.In(Trip(way), [reply, kept] { (*reply)(std::move(*kept)); });
}

Answer ApiService::Apply(const Origin& origin, const Request& request) {
  ApiServerModel& model = lease(origin.lease);
  if (request.kind == RequestKind::kRead) return model.Get();
  const std::string before =
      model.lease() ? model.lease()->document : std::string();
  Answer answer = model.Put(request.write);
  if (!answer) return answer;
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
  WatchEvent event;
  event.kind = WatchEvent::Kind::kOpened;
  Deliver(id, watch, event);
  if (from.empty()) {
    if (model.lease()) {
      event.kind = WatchEvent::Kind::kChanged;
      event.record = *model.lease();
      Deliver(id, watch, event);
    }
    return id;
  }
  watch.told = RevisionOf(from);
  if (watch.told < model.compacted()) {
    scene_->Count(Fault::kWatchExpired);
    event.kind = WatchEvent::Kind::kExpired;
    Deliver(id, watch, event);
    return id;
  }
  TellWatches(lease_index);
  return id;
}

void ApiService::Deliver(std::uint64_t id, Watch& watch, WatchEvent event) {
  Link& way = link(watch.node);
  if (way.watch_lag > Duration{0}) scene_->Count(Fault::kWatchStale);
  watch.last_delivery =
      std::max(scene_->now() + Trip(way) + way.watch_lag, watch.last_delivery);
  const auto kept = std::make_shared<WatchEvent>(std::move(event));
  scene_->queue.At(watch.last_delivery, [this, id, kept] {
    const auto found = watches_.find(id);
    if (found == watches_.end()) return;
    // A partition swallows it; the watch finds out later.
    if (link(found->second.node).partitioned) return;
    found->second.sink(std::move(*kept));
  });
}

void ApiService::TellWatches(int lease_index) {
  const ApiServerModel& model = lease(lease_index);
  std::int64_t& until = recurring_until_[static_cast<std::size_t>(lease_index)];
  if (until != 0 && model.revision() > until) {
    until = 0;
    scene_->Note(Incident::Kind::kRevisionsNew, -1, lease_index, 0);
  }
  for (auto& [id, watch] : watches_) {
    if (watch.lease != lease_index) continue;
    auto change = model.changes().end();
    while (change != model.changes().begin() &&
           std::prev(change)->revision > watch.told) {
      --change;
    }
    for (; change != model.changes().end(); ++change) {
      watch.told = change->revision;
      Deliver(id, watch, change->event);
    }
  }
}

void ApiService::BreakWatches(int node) {
  for (auto& [id, watch] : watches_) {
    if (node >= 0 && watch.node != node) continue;
    scene_->Count(Fault::kWatchBroken);
    WatchEvent closed;
    closed.kind = WatchEvent::Kind::kClosed;
    // Told by the transport, not by the server: no partition swallows it.
    const auto sink = std::make_shared<EventSink>(watch.sink);
    const auto event = std::make_shared<WatchEvent>(closed);
    scene_->queue.In(milliseconds(1), [sink, event] { (*sink)(*event); });
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
  BreakWatches(-1);
  scene_->Note(Incident::Kind::kRestored, -1, lease_index, bump ? 1 : 0);
}

}  // namespace tenure::sim
