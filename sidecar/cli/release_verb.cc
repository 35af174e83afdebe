// `tenure release`: gives the lease up, so that another may hold it at once.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/authority/generation.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/default_sockets.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/pause.h"
#include "sidecar/cli/sidecar_address.h"
#include "sidecar/cli/sidecar_answer.h"
#include "sidecar/cli/status_figures.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {
namespace {

// For an answer, also just before the time is over: a sidecar that lives is
// not called silent.
constexpr Duration kLeast = std::chrono::milliseconds(250);

std::vector<FlagSpec> ReleaseFlags() {
  return {
      {"generation", 'g', "N", "Release only if this generation is held.",
       "the one that is held now"},
      {"lease", 'l', "NAME", "Which lease, of a sidecar with several.",
       "the only one"},
      {"control-socket", 0, "PATH",
       "The sidecar's control socket; also TENURE_CONTROL_SOCKET.",
       "where a sidecar started here would have it"},
      {"timeout", 't', "DURATION",
       "How long to wait for the release. 0: no limit.", "10s"},
  };
}

int Refuse(const std::string& text, int code) {
  PrintProblem(text);
  return code;
}

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// One release, from the question for the generation to its end.
class Releasing {
 public:
  Releasing(LocalAddress address, std::string lease, Duration limit)
      : address_(std::move(address)),
        lease_(std::move(lease)),
        limit_(limit == Duration{0} ? std::chrono::hours(8784) : limit),
        start_(ReadClocks().instant) {}

  // `generation` may be empty. The exit code.
  int Run(std::string generation) {
    if (generation.empty()) {
      std::expected<std::string, int> held = HeldNow();
      if (!held) return held.error();
      generation = *held;
    }
    const Result<LocalAnswer> got =
        LocalPost(address_,
                  "/v1/release?generation=" + generation +
                      (lease_.empty() ? "" : "&lease=" + lease_),
                  Left());
    if (!got) return Refuse(got.error().message, kExitUnreachable);
    if (got->status != 200) return Answered(*got);
    return AwaitEnd(generation);
  }

 private:
  std::string GenerationTarget() const {
    return "/v1/generation" + (lease_.empty() ? "" : "?lease=" + lease_);
  }

  std::expected<std::string, int> HeldNow() const {
    const Result<LocalAnswer> got =
        LocalGet(address_, GenerationTarget(), false, Left());
    if (!got) {
      return std::unexpected(Refuse(got.error().message, kExitUnreachable));
    }
    std::string text = FirstLine(got->body);
    if (got->status != 200) return std::unexpected(Answered(*got));
    if (!ParseGeneration(text)) {
      return std::unexpected(Refuse(
          "expected a generation, found something else", kExitUnreachable));
    }
    return text;
  }

  // What is no yes.
  static int Answered(const LocalAnswer& got) {
    const std::string text = "not released: " + FirstLine(got.body);
    switch (got.status) {
      case 409:
        return Refuse(text, kExitStandby);
      case 503:
        return Refuse(text, kExitUncertain);
      case 400:
      case 404:
        return Refuse(text, kExitUsage);
      default:
        return Refuse(text, kExitUnreachable);
    }
  }

  // What the lease still is under the released generation; "": nothing. The
  // term ends as the release is sent, but until that is acknowledged the record
  // names this sidecar, and nobody else may acquire.
  static std::string Rest(const SidecarAnswer& answer,
                          const std::string& generation) {
    const Result<StatusFigures> now = ReadStatusFigures(answer.summary.json);
    // Of several slots none is held, and which it was is not said.
    if (!now || now->certainty.empty()) return "";
    if (now->certainty == "held") {
      return now->generation == generation ? "still held" : "";
    }
    if (now->certainty == "standby" && now->holder != now->identity) return "";
    return "its claim given up, and no word from the API server of the "
           "release: until that comes nobody else acquires before the lease "
           "expires";
  }

  int AwaitEnd(const std::string& generation) const {
    std::string rest = "still held";
    while (Left() > Duration{0}) {
      const Result<SidecarAnswer> got =
          AskSidecar(address_, GenerationTarget(), std::max(Left(), kLeast));
      if (!got) return Refuse(got.error().message, kExitUnreachable);
      rest = Rest(*got, generation);
      if (rest.empty()) {
        std::printf("released generation %s\n", generation.c_str());
        return kExitOk;
      }
      Pause(std::min<Duration>(std::chrono::milliseconds(20), Left()));
    }
    return Refuse("expected generation " + generation +
                      " to be released in time, found " + rest,
                  kExitNotInTime);
  }

  Duration Left() const {
    const Instant now = ReadClocks().instant;
    return std::max(limit_ - LongestElapsed(start_, now), Duration{0});
  }

  const LocalAddress address_;
  const std::string lease_;
  const Duration limit_;
  const Instant start_;
};

}  // namespace

int RunRelease(const VerbCall& call) {
  const auto flags = TakeFlags(call, ReleaseFlags(), &ReleaseHelp, 0);
  if (!flags) return flags.error();
  const std::string generation = FlagValue(*flags, "generation", "");
  if (flags->given.contains("generation")) {
    const Result<std::int64_t> number = ParseGeneration(generation);
    if (!number) {
      return Refuse("--generation: " + number.error().message, kExitUsage);
    }
  }
  const Result<Duration> limit = DurationFlag(*flags, "timeout", "10s");
  if (!limit) return Refuse(limit.error().message, kExitUsage);
  const Result<std::string> query = AskedTarget(*flags, "");
  if (!query) return Refuse(query.error().message, kExitUsage);
  std::string socket = FlagValue(*flags, "control-socket", "");
  if (socket.empty()) {
    const Result<std::string> usual = DefaultControlSocket(call.environment);
    if (!usual) return Refuse(usual.error().message, kExitUsage);
    socket = *usual;
  }
  return Releasing(LocalAddress{socket, 0, "--control-socket"},
                   FlagValue(*flags, "lease", ""), *limit)
      .Run(generation);
}

VerbHelp ReleaseHelp() {
  return HelpText(
      "release [FLAGS]",
      "Gives the lease up, so that another may hold it at once; the sidecar\n"
      "itself contends again. Refused while registered work runs: stop it\n"
      "first. Stop what you did not register before you call this.\n"
      "\n"
      "Exits 0 once released; 1 if it was not, because it is not held, "
      "another\n"
      "generation is, or work runs; 2 if the sidecar is uncertain; 75 if the\n"
      "API server did not acknowledge it in time; 69 if no sidecar answers; "
      "64\n"
      "for wrong usage.\n",
      ReleaseFlags(), "  tenure release --generation 1042\n");
}

}  // namespace tenure
