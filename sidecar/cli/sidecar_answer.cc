#include "sidecar/cli/sidecar_answer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/status_document.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/gate/report.h"

namespace tenure {
namespace {

// Why `got` is no document: the question was wrong, or who answered is no
// sidecar.
std::unexpected<Error> Refused(const LocalAnswer& got) {
  std::string text = "expected a status document, found status " +
                     std::to_string(got.status) + ": " + ReadError(got.body);
  // Nothing of it may steer the terminal.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; },
      '?');
  const bool ours = got.status == 400 || got.status == 404;
  return Fail(ours ? ErrorCode::kInvalidArgument : ErrorCode::kUnavailable,
              std::move(text));
}

}  // namespace

Result<SidecarAnswer> AskSidecar(const LocalAddress& address,
                                 const std::string& target, Duration limit) {
  // S1: what remains counts from before we asked. The document says it, so it
  // is read whole even where text is wanted.
  const Moment asked = ReadClocks();
  const Result<LocalAnswer> got = LocalGet(address, target, true, limit);
  if (!got) return std::unexpected(got.error());
  const Moment now = ReadClocks();
  const Duration elapsed = PauseWasHidden(asked, now)
                               ? Duration::max()
                               : LongestElapsed(asked.instant, now.instant);
  Result<StatusSummary> summary = ReadStatusDocument(got->body, elapsed);
  if (!summary) return Refused(*got);
  return SidecarAnswer{*std::move(summary), now.instant};
}

}  // namespace tenure
