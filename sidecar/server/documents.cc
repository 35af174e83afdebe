#include "sidecar/server/documents.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "sidecar/base/rfc3339.h"

namespace tenure {
namespace {

using Json = nlohmann::ordered_json;

// Whole milliseconds, rounded down: a reader must not believe it has more.
std::int64_t WholeMs(Duration duration) {
  return std::chrono::floor<std::chrono::milliseconds>(duration).count();
}

double Ms(Duration duration) {
  return static_cast<double>(
             std::chrono::floor<std::chrono::microseconds>(duration).count()) /
         1000.0;
}

// Names come from other programs' records: what is not UTF-8 is replaced, not
// thrown over.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void AddAuthority(const LeaseSight& lease, const CertaintyAnswer& answer,
                  Json* json) {
  const AuthoritySnapshot& snapshot = *lease.snapshot;
  (*json)["certainty"] = CertaintyName(answer.certainty);
  if (*answer.reason != '\0') (*json)["reason"] = answer.reason;
  if (answer.certainty == Certainty::kHeld) {
    (*json)["generation"] = std::to_string(answer.generation);
  }
  (*json)["remainingMs"] = {
      {"toRenewBy", WholeMs(answer.until_renew_by)},
      {"toValidUntil", WholeMs(answer.until_valid_until)}};
  (*json)["draining"] = snapshot.draining;
  (*json)["workRunning"] = snapshot.work_running;
  if (!snapshot.runs_under_way.empty()) {
    (*json)["runsUnderWay"] = snapshot.runs_under_way;
  }
  if (!snapshot.last_run.id.empty()) {
    (*json)["lastRun"] = {{"id", snapshot.last_run.id},
                          {"order", snapshot.last_run.order}};
  }
}

void AddObserved(const AuthoritySnapshot& snapshot, Json* json) {
  (*json)["holder"] = snapshot.holder;
  if (snapshot.holder_generation > 0) {
    (*json)["holderGeneration"] = std::to_string(snapshot.holder_generation);
  }
  if (!snapshot.refusal.empty()) {
    (*json)["refusal"] = snapshot.refusal;
    (*json)["refusalReason"] = snapshot.refusal_reason;
  }
  if (!snapshot.server_error.empty()) {
    (*json)["serverError"] = snapshot.server_error;
  }
}

void AddTimes(const AuthoritySnapshot& snapshot, Json* json) {
  (*json)["durationsMs"] = {
      {"lease", std::int64_t{snapshot.lease_duration_seconds} * 1000},
      {"renewDeadline", WholeMs(snapshot.renew_deadline)},
      {"renewInterval", WholeMs(snapshot.renew_interval)},
      {"tryLimit", WholeMs(snapshot.try_limit)},
      {"takeOver", WholeMs(snapshot.take_over_wait)}};
  if (snapshot.last_renewal != WallTime{}) {
    (*json)["lastRenewal"] = FormatMicroTime(snapshot.last_renewal);
  }
  (*json)["renewals"] = snapshot.renewals;
  (*json)["roundTripMs"] = {{"last", Ms(snapshot.round_trip_last)},
                            {"p99", Ms(snapshot.round_trip_p99)}};
  (*json)["marginMs"] = WholeMs(snapshot.margin);
}

std::string Wish(std::string_view key) {
  return "expected a JSON object like {\"" + std::string(key) +
         "\":\"123\"}, found ";
}

Json Status(const Sight& sight, const LeaseSight& lease) {
  const CertaintyAnswer answer = CertaintyAt(*lease.snapshot, sight.now);
  Json json;
  json["lease"] = lease.name;
  if (sight.lease_set == LeaseSetPolicy::kAny) json["slot"] = true;
  json["namespace"] = sight.name_space;
  json["identity"] = lease.snapshot->identity;
  AddAuthority(lease, answer, &json);
  AddObserved(*lease.snapshot, &json);
  AddTimes(*lease.snapshot, &json);
  return json;
}

}  // namespace

std::string StatusJson(const Sight& sight, const LeaseSight& lease) {
  return Dump(Status(sight, lease));
}

std::string AllStatusJson(const Sight& sight) {
  Json json;
  json["leases"] = Json::array();
  for (const LeaseSight& lease : sight.leases) {
    json["leases"].push_back(Status(sight, lease));
  }
  return Dump(json);
}

std::string AuthorityJson(const Sight& sight, const LeaseSight& lease) {
  Json json;
  json["lease"] = lease.name;
  AddAuthority(lease, CertaintyAt(*lease.snapshot, sight.now), &json);
  return Dump(json);
}

std::string ErrorJson(std::string_view text) {
  return Dump(Json{{"error", text}});
}

Result<std::optional<std::string>> OptionalBodyField(std::string_view body,
                                                     std::string_view key) {
  const std::string wish = Wish(key);
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) {
    return Fail(ErrorCode::kInvalidArgument, wish + "something else");
  }
  const auto field = json.find(key);
  if (field == json.end()) return std::nullopt;
  if (field->is_string()) return field->get<std::string>();
  if (field->is_number_integer()) return field->dump();
  return Fail(ErrorCode::kInvalidArgument,
              wish + std::string(key) + " of another type");
}

Result<std::string> BodyField(std::string_view body, std::string_view key) {
  Result<std::optional<std::string>> field = OptionalBodyField(body, key);
  if (!field) return std::unexpected(field.error());
  if (field->has_value()) return **std::move(field);
  return Fail(ErrorCode::kInvalidArgument,
              Wish(key) + "no " + std::string(key) + " in it");
}

}  // namespace tenure
