// HttpOutcome: how one HTTP exchange ended: not sent, maybe sent, or answered.
//
// Thread safety: values.
#ifndef TENURE_KUBE_HTTP_OUTCOME_H_
#define TENURE_KUBE_HTTP_OUTCOME_H_

#include <expected>
#include <string>

#include "sidecar/base/instant.h"

namespace tenure {

struct HttpAnswer {
  unsigned status = 0;
  bool has_retry_after = false;
  Duration retry_after{0};
  std::string body;
};

struct HttpFailure {
  // Whether the first byte of the request was handed to the kernel: from then
  // on the server may have applied it (S5).
  bool maybe_sent = false;
  std::string message;  // one line
};

using HttpOutcome = std::expected<HttpAnswer, HttpFailure>;

}  // namespace tenure

#endif  // TENURE_KUBE_HTTP_OUTCOME_H_
