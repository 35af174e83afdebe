// `tenure generation --watch`.
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/local_watch.h"
#include "sidecar/cli/output_format.h"
#include "sidecar/cli/sidecar_answer.h"
#include "sidecar/cli/status_document.h"
#include "sidecar/cli/status_figures.h"
#include "sidecar/cli/status_watch.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/clock/system_clock.h"

namespace tenure {
namespace {

constexpr Duration kNoLimit = std::chrono::hours(8784);
constexpr Duration kAskLimit = std::chrono::seconds(5);
constexpr Duration kLook = std::chrono::milliseconds(100);

class GenerationWatch {
 public:
  GenerationWatch(const LocalAddress& address, std::string query,
                  OutputFormat format)
      : address_(address), query_(std::move(query)), format_(format) {}

  int Run() {
    const Result<void> watched = LocalWatch(
        address_, "/v1/watch" + query_, kNoLimit,
        [this](const std::string&) { return OnEvent(); },
        WatchTick{kLook, [this] { Age(); }});
    if (watched) return code_;
    // What is no longer answered is no longer known.
    if (format_ == OutputFormat::kText && !line_.empty()) Tell("uncertain");
    PrintProblem(watched.error().message);
    return watched.error().code == ErrorCode::kInvalidArgument
               ? kExitUsage
               : kExitUnreachable;
  }

 private:
  // S1: an event is only a cue to ask.
  bool OnEvent() {
    const Result<SidecarAnswer> answer =
        AskSidecar(address_, "/v1/generation" + query_, kAskLimit);
    if (!answer) return Stop(answer.error());
    if (format_ != OutputFormat::kText) return Print(answer->summary);
    const Result<StatusFigures> figures =
        ReadStatusFigures(answer->summary.json);
    if (!figures) return Stop(figures.error());
    held_for_ = figures->to_renew_by;
    as_of_ = answer->as_of;
    return Tell(figures->certainty == "held" ? figures->generation
                                             : figures->certainty);
  }

  void Age() {
    const bool held = line_ != "standby" && line_ != "uncertain";
    if (line_.empty() || !held) return;
    if (LongestElapsed(as_of_, ReadClocks().instant) >= held_for_) {
      Tell("uncertain");
    }
  }

  bool Tell(const std::string& line) {
    if (line == line_) return true;
    line_ = line;
    std::printf("%s\n", line.c_str());
    return std::fflush(stdout) == 0;
  }

  bool Print(const StatusSummary& summary) const {
    if (format_ == OutputFormat::kYaml) std::fputs("---\n", stdout);
    std::fputs(Formatted(summary, format_).c_str(), stdout);
    return std::fflush(stdout) == 0;
  }

  bool Stop(const Error& error) {
    if (format_ == OutputFormat::kText) Tell("uncertain");
    PrintProblem(error.message);
    code_ = kExitUnreachable;
    return false;
  }

  const LocalAddress address_;
  const std::string query_;
  const OutputFormat format_;
  std::string line_;  // the last that was told
  Instant as_of_;
  Duration held_for_{0};  // from then
  int code_ = kExitOk;
};

}  // namespace

int WatchGeneration(const LocalAddress& address, const std::string& query,
                    OutputFormat format) {
  return GenerationWatch(address, query, format).Run();
}

}  // namespace tenure
