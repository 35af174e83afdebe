// ApiStatus: a metav1.Status as a value, and the ones kube-apiserver answers.
//
// Code branches on `code` and `reason`; `message` repeats kube-apiserver's
// wording, because people and log searches know it.
//
// Thread safety: values and pure functions.
#ifndef TENURE_EMBEDDED_API_STATUS_H_
#define TENURE_EMBEDDED_API_STATUS_H_

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/embedded/api_message.h"

namespace tenure::embedded {

struct StatusCause {
  std::string reason;
  std::string message;
  std::string field;

  friend bool operator==(const StatusCause&, const StatusCause&) = default;
};

struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;
};

struct ApiStatus {
  int code = 500;
  std::string reason;  // empty: kube-apiserver gives none
  std::string message;
  std::optional<StatusDetails> details;
};

template <typename T>
using ApiResult = std::expected<T, ApiStatus>;

// The JSON document, "Failure" from 400 on.
std::string EncodeStatus(const ApiStatus& status);
ApiResponse ToResponse(const ApiStatus& status);

// Causes, as field.Error makes them. `value` is already printed: quoted if it
// is a string.
StatusCause InvalidValue(std::string field, const std::string& value,
                         const std::string& why);
StatusCause RequiredValue(std::string field, const std::string& why);
StatusCause ForbiddenValue(std::string field, const std::string& why);
StatusCause TooLongValue(std::string field, int limit);
// `supported` as printed, such as `"All"`.
StatusCause UnsupportedValue(std::string field, const std::string& value,
                             const std::string& supported);
// `text` in Go's %q form, as messages show strings.
std::string Quote(std::string_view text);

ApiStatus NotFound(const std::string& name);
ApiStatus AlreadyExists(const std::string& name, bool terminating);
ApiStatus Modified(const std::string& name);  // 409, a stale resourceVersion
ApiStatus Conflict(const std::string& name, const std::string& kind,
                   const std::string& why);
ApiStatus Invalid(const std::string& group, const std::string& kind,
                  const std::string& name, std::vector<StatusCause> causes);
ApiStatus InvalidLease(const std::string& name,
                       std::vector<StatusCause> causes);
ApiStatus BadRequest(std::string message);
ApiStatus Expired(std::string message);
ApiStatus NoSuchResource();
ApiStatus MethodNotAllowed();
ApiStatus NotAcceptable();
ApiStatus UnsupportedBody();
ApiStatus UnsupportedPatch();
ApiStatus TooLarge(std::size_t limit);
ApiStatus FutureVersion(std::uint64_t asked, std::uint64_t current);
ApiStatus InternalFailure(std::string message);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_API_STATUS_H_
