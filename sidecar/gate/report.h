// Report: what a sidecar answered to one question, and when that was asked.
//
// Thread safety: values and pure functions.
#ifndef TENURE_GATE_REPORT_H_
#define TENURE_GATE_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/authority/run_id.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"

namespace tenure {

struct Report {
  // Just before the question was sent: what the answer says remains counts
  // from here (S1).
  Instant asked;
  Certainty certainty = Certainty::kUncertain;
  std::string reason;  // of an uncertain answer: "renewBy", "clock", ...
  std::int64_t generation = 0;  // only while held
  Duration to_renew_by{0};
  Duration to_valid_until{0};
  Duration try_limit{0};  // the sidecar's limit for one request
  bool draining = false;

  std::string lease;
  bool slot = false;  // another of several would do as well
  std::string name_space;
  std::string identity;
  std::string holder;
  std::int64_t holder_generation = 0;  // 0: none known
  Duration take_over{0};               // how long a dead holder is waited for
  LastRun last_run;                    // what the Lease records as done
  std::vector<std::string> runs_under_way;  // that are to happen once
  std::string refusal;                      // why the sidecar cannot acquire
  bool forbidden = false;                   // ... because RBAC says no
  std::string server_error;  // why its last request got no answer
};

// Reads a status document, or the answer to POST /v1/work, which has a part of
// its keys. Errors: kInvalidArgument.
Result<Report> ReadReport(std::string_view json, const Instant& asked);

// What a refusal says: the text in {"error": "..."}, else its first line.
std::string ReadError(std::string_view body);

}  // namespace tenure

#endif  // TENURE_GATE_REPORT_H_
