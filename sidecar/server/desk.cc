#include "sidecar/server/desk.h"

#include <exception>
#include <utility>

namespace tenure {

Desk::Desk(const LocalServerOptions& options, SnapshotBoard* board, Now now,
           Metrics metrics)
    : options_(options),
      board_(board),
      now_(std::move(now)),
      metrics_(std::move(metrics)) {
  sight_.name_space = options_.name_space;
  sight_.readiness = options_.readiness;
  sight_.lease_set = options_.lease_set;
}

void Desk::Look(const std::optional<std::size_t>& lease) {
  held_.clear();
  leases_seen_.clear();
  const std::size_t first = lease.value_or(0);
  const std::size_t end = lease.has_value() ? first + 1 : leases().size();
  for (std::size_t i = first; i < end; ++i) {
    held_.push_back(board_->Read(i));
    leases_seen_.push_back({leases()[i], held_.back().get()});
  }
  sight_.leases = leases_seen_;
  // S1: last, so that time spent on the board counts against the answer.
  sight_.now = now_();
}

std::optional<std::size_t> Desk::Slot() {
  if (options_.lease_set != LeaseSetPolicy::kAny) return std::nullopt;
  Look(std::nullopt);
  std::size_t best = 0;
  bool claimed = false;
  for (std::size_t i = 0; i < leases_seen_.size(); ++i) {
    const AuthoritySnapshot& snapshot = *leases_seen_[i].snapshot;
    const CertaintyAnswer answer = CertaintyAt(snapshot, sight_.now);
    if (answer.certainty == Certainty::kHeld) return i;
    if (!claimed && answer.until_valid_until > Duration{0}) {
      best = i;
      claimed = true;
    }
  }
  return best;
}

void Desk::Compose(const Plan& plan, const ControlReply* said, HttpReply* out) {
  out->Clear();
  Look(plan.lease);
  try {
    if (plan.route == Route::kMetrics) {
      out->body = metrics_(sight_.now, plan.open_metrics);
      out->type = plan.open_metrics ? ContentType::kOpenMetrics
                                    : ContentType::kMetricsText;
    } else if (said != nullptr) {
      AnswerFromLoop(plan, sight_, *said, out);
    } else {
      if (plan.route == Route::kLive) {
        sight_.last_beat = board_->LastBeat();
        if (sight_.last_beat == Instant{}) sight_.last_beat = started_;
      }
      sight_.displaced =
          plan.route == Route::kReady && displaced_ ? displaced_() : "";
      Answer(plan, sight_, out);
    }
  } catch (const std::exception& failure) {
    out->Clear();
    SetError(500, false, std::string("no answer: ") + failure.what(), out);
  }
}

EventNews Desk::ComposeEvent(std::size_t lease, std::string* out) {
  Look(lease);
  AppendEvent(sight_, out);
  return NewsOf(*held_.front(), sight_.now);
}

EventNews Desk::News(std::size_t lease) {
  Look(lease);
  return NewsOf(*held_.front(), sight_.now);
}

Duration Desk::UntilLastChanges() const {
  return UntilChange(*sight_.leases.front().snapshot, sight_.now);
}

std::uint64_t Desk::LastMark() const {
  std::uint64_t mark = 0;
  for (const LeaseSight& lease : sight_.leases) {
    const CertaintyAnswer answer = CertaintyAt(*lease.snapshot, sight_.now);
    mark = mark * 1'000'003 +
           static_cast<std::uint64_t>(answer.generation) * 4 +
           static_cast<std::uint64_t>(answer.certainty);
  }
  return mark;
}

std::uint64_t Desk::FreshMark(const std::optional<std::size_t>& lease) {
  Look(lease);
  return LastMark();
}

}  // namespace tenure
