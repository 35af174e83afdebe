// Files and texts that credentials come from, read with limits and checked.
//
// Thread safety: pure functions. They may block on the disk: the refresher
// thread only (S13).
#ifndef TENURE_KUBE_CREDENTIAL_TEXT_H_
#define TENURE_KUBE_CREDENTIAL_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "sidecar/base/error.h"

namespace tenure {

inline constexpr std::size_t kMaxCredentialFileBytes = std::size_t{1} << 20;

// The whole of a regular file. Errors: kNotFound, kUnavailable; the message
// names the file.
Result<std::string> ReadCredentialFile(const std::string& path);

// A bearer token as an HTTP header can carry it: trimmed; not empty, at most
// 64 KiB, printable ASCII without spaces. `where` names its source; the token
// itself is never in a message.
Result<std::string> CleanToken(std::string_view text, const std::string& where);

// Standard base64, line breaks allowed. Errors: kInvalidArgument.
Result<std::string> DecodeBase64(std::string_view text,
                                 const std::string& where);

std::string EncodeBase64(std::string_view bytes);

// Empty if it is not set.
std::string EnvironmentVariable(const char* name);

}  // namespace tenure

#endif  // TENURE_KUBE_CREDENTIAL_TEXT_H_
