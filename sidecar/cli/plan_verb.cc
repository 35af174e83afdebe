// `tenure plan`: how long a lease should be, what one survives, what it costs.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/authority/authority_options.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/observed_times.h"
#include "sidecar/cli/sidecar_address.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/cli/whole_file.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/plan_times.h"
#include "sidecar/config/settings.h"
#include "sidecar/planning/lease_plan.h"
#include "sidecar/planning/plan_document.h"
#include "sidecar/planning/plan_picture.h"
#include "sidecar/planning/plan_text.h"
#include "sidecar/planning/time_text.h"

namespace tenure {
namespace {

using std::chrono::seconds;

// Flags of `tenure run` that say what is checked: settings, and where from.
constexpr std::array<std::string_view, 10> kTimesFlags{
    "lease-duration",     "renew-interval",
    "renew-deadline",     "preset",
    "ride-out",           "stop-budget",
    "min-renew-interval", "foreign-contenders",
    "drift-allowance",    "config"};
// Any of these makes a whole configuration of what is given.
constexpr std::array<const char*, 5> kWholeFlags{
    "preset", "ride-out", "stop-budget", "renew-deadline",
    "min-renew-interval"};
constexpr std::array<const char*, 4> kNeedFlags{
    "p99-work", "p99-pause", "max-network-delay", "safety-margin"};

std::vector<FlagSpec> NeedSpecs() {
  return {
      {"p99-work", 0, "DURATION",
       "Longest step of the work, but one in a hundred, that must end on one "
       "claim.",
       "0"},
      {"p99-pause", 0, "DURATION",
       "Longest pause, but one in a hundred, of process, container or machine.",
       "0"},
      {"max-network-delay", 0, "DURATION",
       "Longest round trip to the API server to reckon with.", "0"},
      {"safety-margin", 0, "DURATION", "What must be left after all that.",
       "one more try: a quarter of the renew interval and a network delay"},
      {"job-timeout", 0, "DURATION",
       "When a job that waits for the lease gives up, or is killed: warns "
       "unless the lease is shorter.",
       "none"},
      {"leases", 0, "N", "Reckon the requests of so many held leases.", "1"},
  };
}

std::vector<FlagSpec> PlanFlags() {
  std::vector<FlagSpec> flags = NeedSpecs();
  for (FlagSpec& setting : SettingFlags()) {
    if (std::ranges::find(kTimesFlags, setting.name) == kTimesFlags.end()) {
      continue;
    }
    if (setting.name == "lease-duration") {
      setting.help = "Check this one instead of choosing. Whole seconds.";
      setting.fallback = "the least that fits, rounded up";
    }
    flags.push_back(std::move(setting));
  }
  flags.push_back({"observe", 0, "",
                   "Check a running sidecar: its durations, and its measured "
                   "p99 pause and round trip, unless given.",
                   "false"});
  std::ranges::move(AddressFlags(), std::back_inserter(flags));
  flags.push_back({"timeout", 0, "DURATION",
                   "How long to wait for that sidecar's answer.", "5s"});
  flags.push_back({"picture", 0, "FILE",
                   "Draw the timeline, too: .svg, or .html with the text. A "
                   "file of that name is replaced.",
                   "none"});
  flags.push_back(
      {"output", 'o', "FORMAT", "text or json.", "text", "text|json"});
  return flags;
}

std::unexpected<Error> Usage(std::string text) {
  return Fail(ErrorCode::kInvalidArgument, std::move(text));
}

int Refuse(const std::string& text, int code) {
  PrintProblem(text);
  return code;
}

Result<std::int64_t> LeaseCount(const ParsedFlags& flags) {
  const std::string text = FlagValue(flags, "leases", "1");
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || at != end || count < 1 ||
      count > kMostPlannedLeases) {
    return Usage("--leases: expected 1 to " +
                 std::to_string(kMostPlannedLeases) + ", found \"" + text +
                 "\"");
  }
  return count;
}

Result<PlanInputs> ReadInputs(const ParsedFlags& flags) {
  PlanInputs inputs;
  const auto take = [&](const char* name, auto* into) -> Result<void> {
    if (!flags.given.contains(name)) return {};
    const Result<Duration> value = DurationFlag(flags, name, "0");
    if (!value) return std::unexpected(value.error());
    *into = *value;
    return {};
  };
  Result<void> ok = take("p99-work", &inputs.p99_work);
  if (ok) ok = take("p99-pause", &inputs.p99_pause);
  if (ok) ok = take("max-network-delay", &inputs.max_network_delay);
  if (ok) ok = take("safety-margin", &inputs.safety_margin);
  if (ok) ok = take("job-timeout", &inputs.job_timeout);
  if (!ok) return std::unexpected(ok.error());
  const Result<std::int64_t> leases = LeaseCount(flags);
  if (!leases) return std::unexpected(leases.error());
  inputs.leases = *leases;
  return inputs;
}

// What is wrong on the command line alone, before anything is read.
Result<void> CheckFlags(const ParsedFlags& flags) {
  for (const char* name : {"lease-duration", "renew-interval", "renew-deadline",
                           "ride-out", "stop-budget", "min-renew-interval"}) {
    if (!flags.given.contains(name)) continue;
    const Result<Duration> value = DurationFlag(flags, name, "0");
    if (!value) return std::unexpected(value.error());
  }
  const std::string output = FlagValue(flags, "output", "text");
  if (output != "text" && output != "json") {
    return Usage("--output: expected text or json, found \"" + output + "\"");
  }
  const std::string picture = FlagValue(flags, "picture", "");
  if (!picture.empty() && !picture.ends_with(".svg") &&
      !picture.ends_with(".html")) {
    return Usage(
        "--picture: expected a name that ends in .svg or .html, "
        "found \"" +
        picture + "\"");
  }
  return {};
}

template <typename Names>
bool AnyGiven(const Names& names, const auto& given) {
  return std::ranges::any_of(
      names, [&](const char* name) { return given.contains(name); });
}

// The exit code, where there is no plan; it was said why.
using Decided = std::expected<LeasePlan, int>;

std::expected<ObservedTimes, int> Observe(const ParsedFlags& flags,
                                          const Environment& environment) {
  const Result<LocalAddress> address = AskedAddress(flags, environment);
  const Result<std::string> target = AskedTarget(flags, "/v1/status");
  const Result<Duration> limit = DurationFlag(flags, "timeout", "5s");
  for (const Error& error :
       {address ? Error{} : address.error(), target ? Error{} : target.error(),
        limit ? Error{} : limit.error()}) {
    if (!error.message.empty()) {
      return std::unexpected(Refuse(error.message, kExitUsage));
    }
  }
  const Result<LocalAnswer> got =
      LocalGet(*address, *target, true,
               *limit == Duration{0} ? std::chrono::hours(8784) : *limit);
  if (!got) {
    return std::unexpected(Refuse(got.error().message, kExitUnreachable));
  }
  Result<ObservedTimes> times = ReadObservedTimes(got->body);
  if (got->status != 200 || !times) {
    const std::string found = got->status == 200
                                  ? times.error().message
                                  : got->body.substr(0, got->body.find('\n'));
    return std::unexpected(Refuse(
        "--observe: status " + std::to_string(got->status) + ": " + found,
        kExitUnreachable));
  }
  return *times;
}

void TakeObserved(const ObservedTimes& observed, const LoadedSettings& loaded,
                  const ParsedFlags& flags, Settings* settings,
                  PlanInputs* inputs) {
  // Flags alone: variables and files are not those of the running sidecar.
  const auto given = [&](const char* name) {
    return flags.given.contains(name);
  };
  *settings = Settings{};
  settings->drift_allowance = loaded.settings.drift_allowance;
  settings->foreign_contenders = loaded.settings.foreign_contenders;
  settings->lease_duration = given("lease-duration")
                                 ? loaded.settings.lease_duration
                                 : observed.lease_duration;
  settings->renew_deadline = given("renew-deadline")
                                 ? loaded.settings.renew_deadline
                                 : observed.renew_deadline;
  settings->renew_interval = given("renew-interval")
                                 ? loaded.settings.renew_interval
                                 : observed.renew_interval;
  if (!given("p99-pause")) inputs->p99_pause = observed.pause_p99;
  if (!given("max-network-delay")) {
    inputs->max_network_delay = observed.round_trip_p99;
  }
}

Decided CheckWhole(const PlanInputs& inputs, const Settings& settings,
                   const std::map<std::string, std::string>& origins) {
  const auto times = PlanTimes(settings, origins);
  if (times) return CheckPlan(inputs, *times);
  for (const std::string& problem : times.error()) PrintProblem(problem);
  return std::unexpected(kExitConfiguration);
}

// A lease duration alone, or none; `where` it was given.
Decided CheckOrChoose(const PlanInputs& inputs, const Settings& settings,
                      const std::string& where) {
  LeaseTimes wanted;
  wanted.drift_ppm = settings.drift_allowance.ppm;
  wanted.foreign_contenders = settings.foreign_contenders;
  wanted.renew_interval =
      settings.renew_interval.value_or(wanted.renew_interval);
  const Duration lease = settings.lease_duration.value_or(seconds(2));
  if (lease % seconds(1) != Duration{0} || lease < seconds(2) ||
      lease > std::chrono::hours(168)) {
    return std::unexpected(
        Refuse(where + ": expected whole seconds from 2 s to 168 h, found " +
                   TimeText(lease),
               kExitUsage));
  }
  if (settings.lease_duration) {
    wanted.lease_duration_seconds =
        static_cast<std::int32_t>(lease / seconds(1));
    const Result<LeaseTimes> times =
        WithSuitableDeadline(wanted, inputs.p99_work);
    if (times) return CheckPlan(inputs, *times);
  }
  Result<LeasePlan> chosen = ChoosePlan(inputs, wanted);
  if (!chosen) {
    return std::unexpected(Refuse(chosen.error().message, kExitTooSmall));
  }
  if (!settings.lease_duration) return *std::move(chosen);
  // No renew deadline was given, so none is spoken of.
  return std::unexpected(Refuse(
      where + ": expected room for three tries at a renew interval of " +
          TimeText(wanted.renew_interval) + ", found " + TimeText(lease) +
          ", too small to run; " +
          TimeText(seconds(chosen->times.lease_duration_seconds)) + " would do",
      kExitTooSmall));
}

Decided Decide(const ParsedFlags& flags, const Environment& environment,
               PlanInputs inputs) {
  const LoadedSettings loaded = LoadSettings(flags, environment);
  if (!loaded.problems.empty()) {
    for (const std::string& problem : loaded.problems) PrintProblem(problem);
    return std::unexpected(kExitConfiguration);
  }
  if (FlagIsOn(flags, "observe")) {
    const auto observed = Observe(flags, environment);
    if (!observed) return std::unexpected(observed.error());
    Settings settings;
    TakeObserved(*observed, loaded, flags, &settings, &inputs);
    Decided plan = CheckWhole(inputs, settings, {});
    if (plan && observed->round_trip_p99 == Duration{0} &&
        !flags.given.contains("max-network-delay")) {
      plan->warnings.push_back(
          "the sidecar has measured no round trip yet; ask again later");
    }
    return plan;
  }
  const bool nothing_asked = !AnyGiven(kNeedFlags, flags.given) &&
                             !loaded.origins.contains("lease-duration") &&
                             !loaded.origins.contains("renew-interval");
  if (nothing_asked || AnyGiven(kWholeFlags, loaded.origins)) {
    return CheckWhole(inputs, loaded.settings, loaded.origins);
  }
  const auto where = loaded.origins.find("lease-duration");
  return CheckOrChoose(
      inputs, loaded.settings,
      where == loaded.origins.end() ? "--lease-duration" : where->second);
}

int DrawPicture(const ParsedFlags& flags, const LeasePlan& plan) {
  const std::string path = FlagValue(flags, "picture", "");
  if (path.empty()) return kExitOk;
  const Result<void> written = WriteWholeFile(
      path, path.ends_with(".svg") ? PlanSvg(plan) : PlanHtml(plan));
  if (!written) {
    return Refuse("--picture: " + written.error().message, kExitConfiguration);
  }
  std::fprintf(stderr, "tenure: wrote %s\n", path.c_str());
  return kExitOk;
}

}  // namespace

int RunPlan(const VerbCall& call) {
  const auto flags = TakeFlags(call, PlanFlags(), &PlanHelp, 0);
  if (!flags) return flags.error();
  const Result<void> usage = CheckFlags(*flags);
  if (!usage) return Refuse(usage.error().message, kExitUsage);
  const Result<PlanInputs> inputs = ReadInputs(*flags);
  if (!inputs) return Refuse(inputs.error().message, kExitUsage);
  const Decided plan = Decide(*flags, call.environment, *inputs);
  if (!plan) return plan.error();
  const bool json = FlagValue(*flags, "output", "text") == "json";
  std::fputs((json ? PlanJson(*plan) : PlanText(*plan)).c_str(), stdout);
  const int drawn = DrawPicture(*flags, *plan);
  if (drawn != kExitOk) return drawn;
  return plan->enough ? kExitOk : kExitTooSmall;
}

VerbHelp PlanHelp() {
  return HelpText(
      "plan [FLAGS]",
      "Reckons a lease duration from what must fit on one claim, or checks\n"
      "one: given by --lease-duration, a preset, a configuration (as `tenure\n"
      "run` takes it from flags, TENURE_ variables and file) or a running\n"
      "sidecar. Says what outages and pauses it survives, how long a crash\n"
      "takes to recover from, and how many requests it makes. With no flags:\n"
      "what `tenure run` with no flags would do.\n"
      "\n"
      "Exits 0; 1 if what was checked is too small; 64 for wrong usage; 69 if\n"
      "--observe reaches no sidecar; 78 if the configuration is one that\n"
      "`tenure run` refuses, or the picture cannot be written.\n"
      "\n"
      "Duration trades recovery for false take-overs, and never replaces the\n"
      "fence: attach the generation to every write.\n",
      PlanFlags(),
      "  tenure plan --p99-work 8s --p99-pause 2s --max-network-delay 500ms "
      "\\\n"
      "      --renew-interval 3s --safety-margin 2s --picture lease.svg\n"
      "  tenure plan --lease-duration 10s --renew-interval 3s --p99-pause 4s "
      "\\\n"
      "      --max-network-delay 1s\n"
      "  tenure plan --preset patient --leases 100\n");
}

}  // namespace tenure
