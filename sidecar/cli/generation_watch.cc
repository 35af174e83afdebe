// `tenure generation --watch`.
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/answer_watch.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/local_watch.h"
#include "sidecar/cli/output_format.h"
#include "sidecar/cli/sidecar_answer.h"
#include "sidecar/cli/standard_output.h"
#include "sidecar/cli/status_figures.h"
#include "sidecar/cli/status_watch.h"
#include "sidecar/clock/system_clock.h"

namespace tenure {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(100);

class GenerationWatch {
 public:
  GenerationWatch(const LocalAddress& address, std::string query,
                  OutputFormat format, Duration first_limit)
      : address_(address),
        query_(std::move(query)),
        format_(format),
        first_limit_(first_limit) {}

  int Run() {
    return WatchAnswers(
        address_, {"/v1/generation", query_, first_limit_,
                   [this](const SidecarAnswer& answer) { return Take(answer); },
                   [this] { Lost(); }, WatchTick{kLook, [this] { Age(); }}});
  }

 private:
  Result<bool> Take(const SidecarAnswer& answer) {
    if (format_ != OutputFormat::kText) {
      return PrintDocument(answer.summary, format_);
    }
    const Result<StatusFigures> figures =
        ReadStatusFigures(answer.summary.json);
    if (!figures) return std::unexpected(figures.error());
    held_for_ = figures->to_renew_by;
    as_of_ = answer.as_of;
    return Tell(figures->certainty == "held" ? figures->generation
                                             : figures->certainty);
  }

  // What is no longer answered is no longer known.
  void Lost() {
    if (format_ == OutputFormat::kText) Tell("uncertain");
  }

  void Age() {
    const bool held = line_ != "standby" && line_ != "uncertain";
    if (line_.empty() || !held) return;
    if (LongestElapsed(as_of_, ReadClocks().instant) >= held_for_) {
      Tell("uncertain");
    }
  }

  bool Tell(const std::string& line) {
    if (line != line_) std::printf("%s\n", line.c_str());
    line_ = line;
    // One that was lost between two answers counts, too.
    return FlushOutput();
  }

  const LocalAddress address_;
  const std::string query_;
  const OutputFormat format_;
  const Duration first_limit_;
  std::string line_;  // the last that was told
  Instant as_of_;
  Duration held_for_{0};  // from then
};

}  // namespace

int WatchGeneration(const LocalAddress& address, const std::string& query,
                    OutputFormat format, Duration first_limit) {
  return GenerationWatch(address, query, format, first_limit).Run();
}

}  // namespace tenure
