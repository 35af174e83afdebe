#include "sidecar/embedded/lease_writes.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/base/instant.h"
#include "sidecar/base/prng.h"
#include "sidecar/embedded/api_message.h"
#include "sidecar/embedded/api_route.h"
#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_json.h"
#include "sidecar/embedded/lease_object.h"
#include "sidecar/embedded/lease_patch.h"
#include "sidecar/embedded/lease_table.h"
#include "sidecar/embedded/lease_validation.h"
#include "sidecar/embedded/lease_views.h"
#include "sidecar/embedded/request_options.h"

namespace tenure::embedded {
namespace {

constexpr std::size_t kMaxGeneratedPrefix = 58;
constexpr std::size_t kSuffixLength = 5;

struct Body {
  LeaseObject lease;
  std::vector<std::string> warnings;
};

std::string Join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += ", ";
    out += part;
  }
  return out;
}

// Strict refuses what Warn reports and Ignore forgets.
std::optional<std::string> CheckStrict(FieldValidation mode,
                                       std::vector<std::string>& errors) {
  if (mode == FieldValidation::kIgnore) errors.clear();
  if (mode != FieldValidation::kStrict || errors.empty()) return std::nullopt;
  return "strict decoding error: " + Join(errors);
}

std::optional<ApiStatus> CheckNamespace(LeaseObject& lease,
                                        const ApiRoute& route) {
  if (lease.metadata.name_space.empty()) {
    lease.metadata.name_space = route.name_space;
  }
  if (lease.metadata.name_space == route.name_space) return std::nullopt;
  return BadRequest(
      "the namespace of the provided object does not match the namespace sent "
      "on the request");
}

std::optional<ApiStatus> CheckName(const LeaseObject& lease,
                                   const ApiRoute& route) {
  const std::string& name = lease.metadata.name;
  if (name.empty()) {
    return BadRequest("the name of the object (" + route.name +
                      " based on URL) was undeterminable: name must be "
                      "provided");
  }
  if (name == route.name) return std::nullopt;
  return BadRequest("the name of the object (" + name +
                    ") does not match the name on the URL (" + route.name +
                    ")");
}

// The body of POST and PUT.
ApiResult<Body> ReadBody(const WriteRequest& in, const WriteOptions& options) {
  const std::string& content_type = in.request.content_type;
  const std::string type = content_type.substr(0, content_type.find(';'));
  if (!type.empty() && type != "application/json") {
    return std::unexpected(UnsupportedBody());
  }
  auto decoded = DecodeLease(in.request.body);
  if (!decoded) {
    return std::unexpected(
        BadRequest(decoded.error().prefix + decoded.error().cause));
  }
  if (const auto wrong =
          CheckStrict(options.field_validation, decoded->strict_errors)) {
    return std::unexpected(BadRequest(
        "Lease in version \"v1\" cannot be handled as a Lease: " + *wrong));
  }
  Body body{std::move(decoded->lease), std::move(decoded->strict_errors)};
  if (const auto wrong = CheckNamespace(body.lease, in.route)) {
    return std::unexpected(*wrong);
  }
  return body;
}

std::string MakeUid(const Entropy& bits) {
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%012llx",
                static_cast<unsigned>(bits[0] >> 32U),
                static_cast<unsigned>((bits[0] >> 16U) & 0xffffU),
                static_cast<unsigned>(bits[0] & 0xfffU),
                static_cast<unsigned>(0x8000U | ((bits[1] >> 48U) & 0x3fffU)),
                static_cast<unsigned long long>(bits[1] & 0xffffffffffffULL));
  return text;
}

// Without vowels and look-alikes, as Kubernetes makes them.
std::string MakeSuffix(const Entropy& bits) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  Prng random(bits[0] ^ bits[1]);
  std::string out;
  while (out.size() < kSuffixLength) {
    out += kLetters[random.Below(kLetters.size())];
  }
  return out;
}

std::optional<ApiStatus> CheckRoom(const LeaseTable& table,
                                   const LeaseObject& lease) {
  const std::size_t bytes = EncodeLeaseItem(lease).size();
  if (bytes > kMaxObjectBytes) {
    return InternalFailure("etcdserver: request is too large");
  }
  if (!table.HasRoomFor({lease.metadata.name_space, lease.metadata.name},
                        bytes)) {
    return InternalFailure("etcdserver: mvcc: database space exceeded");
  }
  return std::nullopt;
}

ApiResponse Respond(int code, const LeaseVersion& lease, const WriteRequest& in,
                    std::vector<std::string> warnings) {
  ApiResponse response;
  response.code = code;
  response.body = RenderLease(lease, in.view, in.context.now) + "\n";
  response.warnings = std::move(warnings);
  return response;
}

// What a dry run shows: never stored, so its version is the one it came with.
LeaseVersion Unstored(LeaseObject lease) {
  auto out = std::make_shared<StoredLease>();
  out->item_json = EncodeLeaseItem(lease);
  out->lease = std::move(lease);
  return out;
}

// POST and the creating PUT, from the point where they are alike.
ApiResult<ApiResponse> StoreNew(LeaseTable& table, Body body,
                                const WriteOptions& options,
                                const WriteRequest& in) {
  LeaseMetadata& metadata = body.lease.metadata;
  const auto version = ParseResourceVersion(metadata.resource_version);
  const bool versioned = version && version->value_or(0) != 0;
  if (metadata.name.empty() && !metadata.generate_name.empty()) {
    metadata.name = metadata.generate_name.substr(0, kMaxGeneratedPrefix) +
                    MakeSuffix(in.context.entropy);
  }
  metadata.uid = MakeUid(in.context.entropy);
  metadata.resource_version.clear();
  metadata.creation_timestamp = WallTime{
      std::chrono::floor<std::chrono::seconds>(in.context.now.since_epoch)};
  metadata.deletion_timestamp.reset();
  metadata.deletion_grace_period_seconds.reset();
  std::vector<StatusCause> causes = ValidateNewLease(body.lease);
  if (!causes.empty()) {
    return std::unexpected(InvalidLease(metadata.name, std::move(causes)));
  }
  if (versioned && in.route.verb == Verb::kCreate) {
    return std::unexpected(InternalFailure(
        "resourceVersion should not be set on objects to be created"));
  }
  const LeaseVersion other = table.Find({metadata.name_space, metadata.name});
  if (other != nullptr) {
    return std::unexpected(AlreadyExists(
        metadata.name, other->lease.metadata.deletion_timestamp.has_value()));
  }
  if (const auto full = CheckRoom(table, body.lease)) {
    return std::unexpected(*full);
  }
  const LeaseVersion stored = options.dry_run
                                  ? Unstored(std::move(body.lease))
                                  : table.Put(std::move(body.lease));
  return Respond(201, stored, in, std::move(body.warnings));
}

// S4 rests on this order: uid, then resourceVersion.
std::optional<ApiStatus> CheckUid(const LeaseVersion& old,
                                  const LeaseMetadata& metadata) {
  const std::string stored_uid = old == nullptr ? "" : old->lease.metadata.uid;
  if (metadata.uid.empty() || metadata.uid == stored_uid) return std::nullopt;
  return Conflict(
      metadata.name, "leases",
      "StorageError: invalid object, Code: 4, Key: /registry/leases/" +
          metadata.name_space + "/" + metadata.name +
          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID "
          "in precondition: " +
          metadata.uid + ", UID in object meta: " + stored_uid);
}

std::optional<ApiStatus> CheckVersion(const LeaseVersion& old,
                                      const LeaseMetadata& metadata,
                                      std::uint64_t version) {
  if (version == 0) {
    return Invalid("coordination.k8s.io", "leases", metadata.name,
                   {InvalidValue("metadata.resourceVersion", "0",
                                 "must be specified for an update")});
  }
  if (version != old->resource_version) return Modified(metadata.name);
  return std::nullopt;
}

// What an update cannot change, or need not repeat.
void CarryOver(const LeaseMetadata& old, LeaseMetadata& now) {
  now.resource_version = old.resource_version;
  now.generation = old.generation;
  now.creation_timestamp = old.creation_timestamp;
  if (now.uid.empty()) now.uid = old.uid;
  if (old.deletion_timestamp) now.deletion_timestamp = old.deletion_timestamp;
  if (!now.deletion_grace_period_seconds) {
    now.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
  }
}

// PUT and PATCH of a Lease that exists.
ApiResult<ApiResponse> StoreUpdate(LeaseTable& table, const LeaseVersion& old,
                                   Body body, const WriteOptions& options,
                                   const WriteRequest& in) {
  LeaseMetadata& metadata = body.lease.metadata;
  const auto version = ParseResourceVersion(metadata.resource_version);
  if (!version) return std::unexpected(InternalFailure(version.error()));
  if (const auto wrong = CheckVersion(old, metadata, version->value_or(0))) {
    return std::unexpected(*wrong);
  }
  CarryOver(old->lease.metadata, metadata);
  std::vector<StatusCause> causes = ValidateLeaseUpdate(body.lease, old->lease);
  if (!causes.empty()) {
    return std::unexpected(InvalidLease(metadata.name, std::move(causes)));
  }
  if (const auto full = CheckRoom(table, body.lease)) {
    return std::unexpected(*full);
  }
  // The last finalizer is gone: the answer shows the update, the Lease goes.
  const bool last = metadata.deletion_timestamp && metadata.finalizers.empty();
  if (options.dry_run || last) {
    if (!options.dry_run) table.Remove({metadata.name_space, metadata.name});
    return Respond(200, Unstored(std::move(body.lease)), in,
                   std::move(body.warnings));
  }
  // A write that changes nothing takes no version and makes no event.
  const LeaseVersion stored =
      body.lease == old->lease ? old : table.Put(std::move(body.lease));
  return Respond(200, stored, in, std::move(body.warnings));
}

ApiResult<Body> PatchedBody(const LeaseVersion& old, PatchKind kind,
                            const WriteOptions& options,
                            const WriteRequest& in) {
  const auto patched =
      ApplyPatch(kind, WithTypeMeta(old->item_json), in.request.body);
  if (!patched) return std::unexpected(patched.error());
  const auto refuse = [&patched](const std::string& why) {
    return std::unexpected(
        Invalid("", "", "", {InvalidValue("patch", Quote(*patched), why)}));
  };
  auto decoded = DecodeLease(*patched);
  if (!decoded) return refuse(decoded.error().cause);
  if (const auto wrong =
          CheckStrict(options.field_validation, decoded->strict_errors)) {
    return refuse(*wrong);
  }
  Body body{std::move(decoded->lease), std::move(decoded->strict_errors)};
  auto wrong = CheckNamespace(body.lease, in.route);
  if (!wrong) wrong = CheckName(body.lease, in.route);
  if (wrong) return std::unexpected(*wrong);
  return body;
}

}  // namespace

ApiResult<ApiResponse> CreateLease(LeaseTable& table, const WriteRequest& in) {
  const auto options = ParseWriteOptions(in.route.query, "CreateOptions");
  if (!options) return std::unexpected(options.error());
  auto body = ReadBody(in, *options);
  if (!body) return std::unexpected(body.error());
  return StoreNew(table, std::move(*body), *options, in);
}

ApiResult<ApiResponse> UpdateLease(LeaseTable& table, const WriteRequest& in) {
  const auto options = ParseWriteOptions(in.route.query, "UpdateOptions");
  if (!options) return std::unexpected(options.error());
  auto body = ReadBody(in, *options);
  if (!body) return std::unexpected(body.error());
  const LeaseMetadata& metadata = body->lease.metadata;
  if (const auto wrong = CheckName(body->lease, in.route)) {
    return std::unexpected(*wrong);
  }
  const LeaseVersion old = table.Find({metadata.name_space, metadata.name});
  if (const auto wrong = CheckUid(old, metadata)) {
    return std::unexpected(*wrong);
  }
  if (old != nullptr) {
    return StoreUpdate(table, old, std::move(*body), *options, in);
  }
  // Without a uid a PUT creates, whatever version it names.
  const auto version = ParseResourceVersion(metadata.resource_version);
  if (!version) return std::unexpected(InternalFailure(version.error()));
  return StoreNew(table, std::move(*body), *options, in);
}

ApiResult<ApiResponse> PatchLease(LeaseTable& table, const WriteRequest& in) {
  const auto kind = PatchKindOf(in.request.content_type);
  if (!kind) return std::unexpected(kind.error());
  const auto options = ParseWriteOptions(in.route.query, "PatchOptions");
  if (!options) return std::unexpected(options.error());
  const LeaseVersion old = table.Find({in.route.name_space, in.route.name});
  if (old == nullptr) return std::unexpected(NotFound(in.route.name));
  auto body = PatchedBody(old, *kind, *options, in);
  if (!body) return std::unexpected(body.error());
  return StoreUpdate(table, old, std::move(*body), *options, in);
}

}  // namespace tenure::embedded
