#include "sidecar/embedded/fault_plan.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/json_document.h"

namespace tenure::embedded {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kMaxDepth = 4;

constexpr std::array<std::pair<std::string_view, FaultAction>, 6> kActions{
    {{"delay", FaultAction::kDelay},
     {"fail", FaultAction::kFail},
     {"close", FaultAction::kClose},
     {"silence", FaultAction::kSilence},
     {"stale", FaultAction::kStale},
     {"freezeWatch", FaultAction::kFreezeWatch}}};
constexpr std::array<std::string_view, 8> kVerbs{
    "get",    "list",  "watch",  "create",
    "update", "patch", "delete", "deletecollection"};

std::string_view NameOf(FaultAction action) {
  const auto* found = std::ranges::find(
      kActions, action, &std::pair<std::string_view, FaultAction>::second);
  return found->first;
}

// Reads a fault's document; the first thing wrong is kept, named by its path.
class FaultReader {
 public:
  std::expected<Fault, std::string> Read(const json& root) {
    if (!root.is_object()) return std::unexpected("expected a JSON object");
    Known(root, "",
          {"match", "count", "action", "applied", "delayMs", "status",
           "retryAfterSeconds", "reset", "steps"});
    if (root.contains("match")) ReadMatch(root["match"]);
    ReadAction(root);
    if (root.contains("count")) fault_.remaining = Integer(root, "count", 1);
    fault_.applied = Bool(root, "applied");
    fault_.reset = Bool(root, "reset");
    if (fault_.action == FaultAction::kDelay) {
      fault_.delay = std::chrono::milliseconds(
          Integer(root, "delayMs", 1, kMaxFaultDelayMs));
    }
    if (fault_.action == FaultAction::kFail) {
      fault_.status = static_cast<int>(Integer(root, "status", 400, 599));
    }
    if (root.contains("retryAfterSeconds")) {
      fault_.retry_after_seconds =
          static_cast<int>(Integer(root, "retryAfterSeconds", 0, 86'400));
    }
    if (root.contains("steps")) {
      fault_.steps = Integer(root, "steps", 1, 1'000'000);
    }
    if (!error_.empty()) return std::unexpected(error_);
    return std::move(fault_);
  }

 private:
  void ReadMatch(const json& match) {
    if (!match.is_object()) return Fail("match: expected an object");
    Known(match, "match.", {"verb", "namespace", "name"});
    fault_.match.verb = String(match, "verb");
    fault_.match.name_space = String(match, "namespace");
    fault_.match.name = String(match, "name");
    if (!fault_.match.verb.empty() &&
        std::ranges::find(kVerbs, fault_.match.verb) == kVerbs.end()) {
      Fail(
          "match.verb: expected get, list, watch, create, update, patch, "
          "delete or deletecollection, found " +
          Quote(fault_.match.verb));
    }
  }

  void ReadAction(const json& root) {
    const std::string name = String(root, "action");
    const auto* found = std::ranges::find(
        kActions, name, &std::pair<std::string_view, FaultAction>::first);
    if (found == kActions.end()) {
      return Fail(
          "action: expected delay, fail, close, silence, stale or "
          "freezeWatch, found " +
          Quote(name));
    }
    fault_.action = found->second;
  }

  std::string String(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return "";
    if (found->is_string()) return found->get<std::string>();
    Fail(std::string(key) + ": expected a string");
    return "";
  }

  bool Bool(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return false;
    if (found->is_boolean()) return found->get<bool>();
    Fail(std::string(key) + ": expected true or false");
    return false;
  }

  std::uint64_t Integer(const json& object, const char* key,
                        std::uint64_t least,
                        std::uint64_t most = 1'000'000'000) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_number_unsigned() &&
        found->get<std::uint64_t>() >= least &&
        found->get<std::uint64_t>() <= most) {
      return found->get<std::uint64_t>();
    }
    Fail(std::string(key) + ": expected a whole number from " +
         std::to_string(least) + " to " + std::to_string(most));
    return least;
  }

  void Known(const json& object, const std::string& path,
             std::initializer_list<std::string_view> keys) {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(keys, key) == keys.end()) {
        Fail(path + key + ": unknown field");
      }
    }
  }

  void Fail(const std::string& error) {
    if (error_.empty()) error_ = error;
  }

  Fault fault_;
  std::string error_;
};

ordered_json EncodeFault(const Fault& fault) {
  ordered_json out{{"match",
                    {{"verb", fault.match.verb},
                     {"namespace", fault.match.name_space},
                     {"name", fault.match.name}}},
                   {"action", NameOf(fault.action)},
                   {"applied", fault.applied},
                   {"strikes", fault.strikes}};
  if (fault.remaining) out["remaining"] = *fault.remaining;
  return out;
}

bool Matches(const FaultTarget& match, const FaultTarget& target) {
  const auto fits = [](const std::string& wanted, const std::string& found) {
    return wanted.empty() || wanted == found;
  };
  return fits(match.verb, target.verb) &&
         fits(match.name_space, target.name_space) &&
         fits(match.name, target.name);
}

ApiResponse Json(int code, const ordered_json& body) {
  ApiResponse response;
  response.code = code;
  response.body =
      body.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return response;
}

}  // namespace

ApiResponse FaultPlan::Handle(const ApiRequest& request) {
  if (request.method == "GET") {
    ordered_json list = ordered_json::array();
    for (const Fault& fault : faults_) list.push_back(EncodeFault(fault));
    return Json(200, {{"faults", list}});
  }
  if (request.method == "DELETE") {
    const std::size_t removed = faults_.size();
    faults_.clear();
    return Json(200, {{"removed", removed}});
  }
  if (request.method != "POST") return ToResponse(MethodNotAllowed());
  if (faults_.size() >= kMaxFaults) {
    return ToResponse(BadRequest("at most " + std::to_string(kMaxFaults) +
                                 " faults; DELETE /faults removes them"));
  }
  const auto document = ParseJson(request.body, kMaxDepth);
  if (!document) return ToResponse(BadRequest("fault: " + document.error()));
  auto fault = FaultReader().Read(document->root);
  if (!fault) return ToResponse(BadRequest("fault: " + fault.error()));
  faults_.push_back(std::move(*fault));
  return Json(201, EncodeFault(faults_.back()));
}

std::optional<Fault> FaultPlan::Take(const FaultTarget& target) {
  for (Fault& fault : faults_) {
    if (fault.action == FaultAction::kFreezeWatch ||
        fault.remaining.value_or(1) == 0 || !Matches(fault.match, target)) {
      continue;
    }
    ++fault.strikes;
    if (fault.remaining) --*fault.remaining;
    return fault;
  }
  return std::nullopt;
}

bool FaultPlan::Frozen(const FaultTarget& watch) const {
  return std::ranges::any_of(faults_, [&watch](const Fault& fault) {
    return fault.action == FaultAction::kFreezeWatch &&
           Matches(fault.match, watch);
  });
}

ApiResponse FaultResponse(const Fault& fault, const std::string& name) {
  ApiStatus status = InternalFailure("injected by /faults");
  status.code = fault.status;
  if (fault.status == 409) {
    status = Modified(name);
  } else if (fault.status == 429) {
    status.reason = "TooManyRequests";
  } else if (fault.status == 503) {
    status.reason = "ServiceUnavailable";
  } else if (fault.status == 504) {
    status.reason = "Timeout";
  } else if (fault.status == 500) {
    status.reason = "InternalError";
  }
  ApiResponse response = ToResponse(status);
  response.retry_after_seconds = fault.retry_after_seconds;
  return response;
}

}  // namespace tenure::embedded
