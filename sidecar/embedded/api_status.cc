#include "sidecar/embedded/api_status.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/embedded/api_message.h"

namespace tenure::embedded {
namespace {

using nlohmann::ordered_json;

constexpr char kGroup[] = "coordination.k8s.io";

StatusDetails LeaseDetails(const std::string& name, const std::string& kind) {
  return StatusDetails{name, kGroup, kind, "", {}, 0};
}

std::string Subject(const std::string& kind, const std::string& name) {
  return kind + "." + kGroup + " " + Quote(name);
}

ordered_json EncodeDetails(const StatusDetails& details) {
  ordered_json out = ordered_json::object();
  const auto put = [&out](const char* key, const std::string& value) {
    if (!value.empty()) out[key] = value;
  };
  put("name", details.name);
  put("group", details.group);
  put("kind", details.kind);
  put("uid", details.uid);
  if (!details.causes.empty()) {
    ordered_json causes = ordered_json::array();
    for (const StatusCause& cause : details.causes) {
      ordered_json one{{"reason", cause.reason}, {"message", cause.message}};
      if (!cause.field.empty()) one["field"] = cause.field;
      causes.push_back(std::move(one));
    }
    out["causes"] = std::move(causes);
  }
  if (details.retry_after_seconds > 0) {
    out["retryAfterSeconds"] = details.retry_after_seconds;
  }
  return out;
}

}  // namespace

std::string EncodeStatus(const ApiStatus& status) {
  ordered_json out{{"kind", "Status"},
                   {"apiVersion", "v1"},
                   {"metadata", ordered_json::object()}};
  const bool failed = status.code >= 400;
  out["status"] = failed ? "Failure" : "Success";
  if (!status.message.empty()) out["message"] = status.message;
  if (!status.reason.empty()) out["reason"] = status.reason;
  if (status.details) out["details"] = EncodeDetails(*status.details);
  if (failed) out["code"] = status.code;
  // Messages may quote what a client sent: never throw on bad UTF-8.
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

ApiResponse ToResponse(const ApiStatus& status) {
  ApiResponse response;
  response.code = status.code;
  response.body = EncodeStatus(status);
  if (status.details && status.details->retry_after_seconds > 0) {
    response.retry_after_seconds = status.details->retry_after_seconds;
  }
  return response;
}

StatusCause InvalidValue(std::string field, const std::string& value,
                         const std::string& why) {
  return {"FieldValueInvalid", "Invalid value: " + value + ": " + why,
          std::move(field)};
}

StatusCause RequiredValue(std::string field, const std::string& why) {
  return {"FieldValueRequired", "Required value: " + why, std::move(field)};
}

StatusCause ForbiddenValue(std::string field, const std::string& why) {
  return {"FieldValueForbidden", "Forbidden: " + why, std::move(field)};
}

StatusCause TooLongValue(std::string field, int limit) {
  return {"FieldValueTooLong",
          "Too long: may not be more than " + std::to_string(limit) + " bytes",
          std::move(field)};
}

StatusCause UnsupportedValue(std::string field, const std::string& value,
                             const std::string& supported) {
  return {"FieldValueNotSupported",
          "Unsupported value: " + value + ": supported values: " + supported,
          std::move(field)};
}

std::string Quote(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ApiStatus NotFound(const std::string& name) {
  return {404, "NotFound", Subject("leases", name) + " not found",
          LeaseDetails(name, "leases")};
}

ApiStatus AlreadyExists(const std::string& name, bool terminating) {
  return {409, "AlreadyExists",
          (terminating ? "object is being deleted: " : "") +
              Subject("leases", name) + " already exists",
          LeaseDetails(name, "leases")};
}

ApiStatus Conflict(const std::string& name, const std::string& kind,
                   const std::string& why) {
  return {
      409, "Conflict",
      "Operation cannot be fulfilled on " + Subject(kind, name) + ": " + why,
      LeaseDetails(name, kind)};
}

ApiStatus Modified(const std::string& name) {
  return Conflict(name, "leases",
                  "the object has been modified; please apply your changes to "
                  "the latest version and try again");
}

ApiStatus Invalid(const std::string& group, const std::string& kind,
                  const std::string& name, std::vector<StatusCause> causes) {
  std::string what;
  for (const StatusCause& cause : causes) {
    if (!what.empty()) what += ", ";
    what += cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) what = "[" + what + "]";
  const std::string subject = group.empty() ? kind : kind + "." + group;
  ApiStatus status{422, "Invalid",
                   subject + " " + Quote(name) + " is invalid: " + what,
                   StatusDetails{name, group, kind, "", {}, 0}};
  status.details->causes = std::move(causes);
  return status;
}

ApiStatus InvalidLease(const std::string& name,
                       std::vector<StatusCause> causes) {
  return Invalid(kGroup, "Lease", name, std::move(causes));
}

ApiStatus BadRequest(std::string message) {
  return {400, "BadRequest", std::move(message), std::nullopt};
}

ApiStatus Expired(std::string message) {
  return {410, "Expired", std::move(message), std::nullopt};
}

ApiStatus NoSuchResource() {
  return {404, "NotFound", "the server could not find the requested resource",
          StatusDetails{}};
}

ApiStatus MethodNotAllowed() {
  return {405, "MethodNotAllowed",
          "the server does not allow this method on the requested resource",
          StatusDetails{}};
}

ApiStatus NotAcceptable() {
  return {406, "NotAcceptable",
          "406: Not Acceptable\n\nAvailable representations: application/json",
          StatusDetails{}};
}

ApiStatus UnsupportedBody() {
  return {415, "UnsupportedMediaType",
          "the body of the request was in an unknown format - accepted media "
          "types include: application/json",
          std::nullopt};
}

ApiStatus UnsupportedPatch() {
  return {415, "UnsupportedMediaType", "415: Unsupported Media Type",
          StatusDetails{}};
}

ApiStatus TooLarge(std::size_t limit) {
  return {413, "RequestEntityTooLarge",
          "Request entity too large: limit is " + std::to_string(limit),
          std::nullopt};
}

ApiStatus FutureVersion(std::uint64_t asked, std::uint64_t current) {
  ApiStatus status{
      504, "Timeout",
      "Timeout: Too large resource version: " + std::to_string(asked) +
          ", current: " + std::to_string(current),
      StatusDetails{}};
  status.details->causes.push_back(
      {"ResourceVersionTooLarge", "Too large resource version", ""});
  status.details->retry_after_seconds = 1;
  return status;
}

ApiStatus InternalFailure(std::string message) {
  return {500, "", std::move(message), std::nullopt};
}

}  // namespace tenure::embedded
