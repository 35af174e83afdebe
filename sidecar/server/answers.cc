#include "sidecar/server/answers.h"

#include <array>
#include <charconv>
#include <utility>

#include "sidecar/server/documents.h"
#include "sidecar/server/limits.h"

namespace tenure {
namespace {

int StatusOf(Certainty certainty) {
  switch (certainty) {
    case Certainty::kHeld:
      return 200;
    case Certainty::kStandby:
      return 409;
    case Certainty::kUncertain:
      return 503;
  }
  return 503;
}

std::string Why(const CertaintyAnswer& answer) {
  std::string text = CertaintyName(answer.certainty);
  if (*answer.reason != '\0') {
    text += " (";
    text += answer.reason;
    text += ')';
  }
  return text;
}

// One line: why there is no generation to give.
std::string NotHeld(const AuthoritySnapshot& snapshot,
                    const CertaintyAnswer& answer) {
  std::string text = Why(answer);
  if (answer.certainty != Certainty::kStandby) {
    if (snapshot.server_error.empty()) return text;
    return text + ": no answer from the API server: " + snapshot.server_error;
  }
  if (snapshot.holder.empty()) {
    text += ": nobody holds the lease";
  } else {
    text += ": held by " + snapshot.holder;
    if (snapshot.holder_generation > 0) {
      text += ", generation " + std::to_string(snapshot.holder_generation);
    }
  }
  if (!snapshot.refusal.empty()) text += "; " + snapshot.refusal;
  return text;
}

void SetJson(std::string document, HttpReply* reply) {
  reply->type = ContentType::kJson;
  reply->body = std::move(document);
  reply->body += '\n';
}

// A probe's yes, which is one word.
void SetYes(const Plan& plan, const std::string& word, HttpReply* reply) {
  if (plan.json) {
    SetJson("{\"" + word + "\":true}", reply);
  } else {
    reply->body = word + "\n";
  }
}

void SetDecimal(std::int64_t generation, HttpReply* reply) {
  std::array<char, 24> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), generation);
  reply->body.assign(digits.data(), end.ptr);
  reply->body += '\n';
}

void AnswerGeneration(const Plan& plan, const Sight& sight, HttpReply* reply) {
  const LeaseSight& lease = sight.leases.front();
  const CertaintyAnswer answer = CertaintyAt(*lease.snapshot, sight.now);
  const int status = StatusOf(answer.certainty);
  if (plan.json) {
    SetJson(StatusJson(sight, lease), reply);
    reply->status = status;
  } else if (answer.certainty == Certainty::kHeld) {
    SetDecimal(answer.generation, reply);
  } else {
    SetError(status, false, NotHeld(*lease.snapshot, answer), reply);
  }
}

void AnswerCheck(const Plan& plan, const Sight& sight, HttpReply* reply) {
  const LeaseSight& lease = sight.leases.front();
  const CertaintyAnswer answer = CertaintyAt(*lease.snapshot, sight.now);
  if (answer.certainty == Certainty::kHeld &&
      answer.generation == plan.generation) {
    if (plan.json) {
      SetJson(StatusJson(sight, lease), reply);
    } else {
      SetDecimal(answer.generation, reply);
    }
    return;
  }
  std::string text =
      "generation " + std::to_string(plan.generation) + " is not held: ";
  if (answer.certainty == Certainty::kHeld) {
    text += "generation " + std::to_string(answer.generation) + " is";
    SetError(409, plan.json, std::move(text), reply);
  } else {
    text += NotHeld(*lease.snapshot, answer);
    SetError(StatusOf(answer.certainty), plan.json, std::move(text), reply);
  }
}

void AnswerLive(const Plan& plan, const Sight& sight, HttpReply* reply) {
  // Beats come from the loop alone: liveness never depends on the API server.
  const Duration age = LongestElapsed(sight.last_beat, sight.now.instant);
  if (age < kLivenessLimit) {
    SetYes(plan, "alive", reply);
    return;
  }
  const auto seconds = std::chrono::floor<std::chrono::seconds>(age).count();
  SetError(503, plan.json,
           "not alive: the loop made no progress for " +
               std::to_string(seconds) + " s",
           reply);
}

void AnswerStartup(const Plan& plan, const Sight& sight, HttpReply* reply) {
  for (const LeaseSight& lease : sight.leases) {
    if (lease.snapshot->settled) continue;
    SetError(503, plan.json,
             "not started: the first read of lease " + std::string(lease.name) +
                 " is not answered",
             reply);
    return;
  }
  SetYes(plan, "started", reply);
}

// Why a lease does not make the pod ready; empty if it does.
std::string NotReady(const Sight& sight, const LeaseSight& lease) {
  const CertaintyAnswer answer = CertaintyAt(*lease.snapshot, sight.now);
  const bool ready = sight.readiness == ReadinessPolicy::kHolder
                         ? answer.certainty == Certainty::kHeld
                         : answer.certainty != Certainty::kUncertain;
  if (ready && !lease.snapshot->draining) return {};
  return "lease " + std::string(lease.name) + " is " + Why(answer) +
         (lease.snapshot->draining ? ", draining" : "");
}

void AnswerReady(const Plan& plan, const Sight& sight, HttpReply* reply) {
  // Of several slots one is held at most: one is enough for the holder.
  const bool any_is_enough = sight.readiness == ReadinessPolicy::kHolder &&
                             sight.lease_set == LeaseSetPolicy::kAny;
  std::size_t ready = 0;
  std::string why;
  for (const LeaseSight& lease : sight.leases) {
    const std::string reason = NotReady(sight, lease);
    if (reason.empty()) {
      ++ready;
    } else {
      why += (why.empty() ? "" : "; ") + reason;
    }
  }
  const bool enough =
      ready == sight.leases.size() || (any_is_enough && ready > 0);
  if (!sight.displaced.empty()) {
    why += (why.empty() ? "" : "; ") + sight.displaced;
  }
  if (enough && sight.displaced.empty()) {
    SetYes(plan, "ready", reply);
  } else {
    SetError(503, plan.json, "not ready: " + why, reply);
  }
}

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kConflict:
      return 409;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kForbidden:
    case ErrorCode::kThrottled:
    case ErrorCode::kNotSent:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kRefused:
    case ErrorCode::kUnavailable:
    case ErrorCode::kDeadlineExceeded:
    case ErrorCode::kInternal:
      return 503;
  }
  return 503;
}

}  // namespace

void Answer(const Plan& plan, const Sight& sight, HttpReply* reply) {
  switch (plan.route) {
    case Route::kStatus:
      SetJson(plan.lease.has_value() ? StatusJson(sight, sight.leases.front())
                                     : AllStatusJson(sight),
              reply);
      return;
    case Route::kGeneration:
      return AnswerGeneration(plan, sight, reply);
    case Route::kCheck:
      return AnswerCheck(plan, sight, reply);
    case Route::kWatch:
      reply->type = ContentType::kEventStream;
      return;
    case Route::kStartup:
      return AnswerStartup(plan, sight, reply);
    case Route::kLive:
      return AnswerLive(plan, sight, reply);
    case Route::kReady:
      return AnswerReady(plan, sight, reply);
    case Route::kWork:
    case Route::kDone:
    case Route::kRelease:
    case Route::kRun:
    case Route::kFloor:
    case Route::kMetrics:
      break;
  }
  SetError(500, plan.json, "this route is not answered from the board", reply);
}

void AnswerFromLoop(const Plan& plan, const Sight& sight,
                    const ControlReply& said, HttpReply* reply) {
  if (said.error.has_value()) {
    SetError(StatusOf(said.error->code), plan.json, said.error->message, reply);
    return;
  }
  if (plan.route == Route::kCheck) return Answer(plan, sight, reply);
  const LeaseSight& lease = sight.leases.front();
  if (plan.route == Route::kWork) {
    AnswerCheck(plan, sight, reply);
    if (reply->status != 200) return;
  }
  SetJson(AuthorityJson(sight, lease), reply);
}

EventNews NewsOf(const AuthoritySnapshot& snapshot, const Moment& now) {
  const CertaintyAnswer answer = CertaintyAt(snapshot, now);
  return EventNews{answer.certainty,
                   answer.reason,
                   answer.generation,
                   snapshot.renewals,
                   snapshot.draining,
                   snapshot.finished,
                   snapshot.work_running,
                   snapshot.holder,
                   snapshot.holder_generation,
                   snapshot.last_run.id,
                   snapshot.refusal,
                   snapshot.server_error,
                   snapshot.lease_duration_seconds};
}

void AppendEvent(const Sight& sight, std::string* out) {
  out->append("event: status\ndata: ");
  out->append(StatusJson(sight, sight.leases.front()));
  out->append("\n\n");
}

Duration UntilChange(const AuthoritySnapshot& snapshot, const Moment& now) {
  const CertaintyAnswer answer = CertaintyAt(snapshot, now);
  if (answer.until_renew_by > Duration{0}) return answer.until_renew_by;
  if (answer.until_valid_until > Duration{0}) return answer.until_valid_until;
  const Duration silent = LongestElapsed(snapshot.server_seen, now.instant);
  if (answer.certainty == Certainty::kStandby &&
      silent < snapshot.silence_limit) {
    return snapshot.silence_limit - silent;
  }
  return Duration::max();
}

}  // namespace tenure
