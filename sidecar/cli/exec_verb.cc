// `tenure exec`: a command that runs only while the lease is held.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/authority/run_id.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/default_sockets.h"
#include "sidecar/cli/direct_sidecar.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/nested_exec.h"
#include "sidecar/cli/open_files.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/duration_text.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/unknown_variables.h"
#include "sidecar/gate/exit_codes.h"
#include "sidecar/gate/gated_run.h"
#include "sidecar/gate/guard.h"
#include "sidecar/gate/signals.h"

namespace tenure {
namespace {

// What guard or watchdog opens at most: timers, signals, the sidecar's sockets,
// the pair between them, and /proc to kill by.
constexpr int kFilesOfGuards = 16;

std::vector<FlagSpec> ExecFlags() {
  return {
      {"lease", 'l', "NAME",
       "Which lease, of a sidecar with several; with --direct the one to hold. "
       "Repeat it, or separate names with commas, and COMMAND runs while all "
       "are held: they are waited for in sorted order, one after another. "
       "Also TENURE_LEASE.",
       "the only one"},
      {"direct", 0, "",
       "Hold the lease without a sidecar, with this command's own access to "
       "the API server, and release it at the end. Takes the flags, variables "
       "and file of `tenure run` for that: with --slots N it holds any one of "
       "NAME-0 to NAME-(N-1), and TENURE_LEASE tells the command which.",
       "false"},
      {"timeout", 't', "DURATION",
       "How long to wait for the lease; for several, for all together. A "
       "holder that died is waited for about one lease duration. 0: no limit.",
       "0"},
      {"timeout-code", 'E', "N", "Exit code when it was not held in time.",
       "75"},
      {"on-uncertain", 0, "ACTION",
       "What the command is told when a renewal is overdue. stop: SIGTERM, "
       "never withdrawn. pause: SIGSTOP, and SIGCONT if a renewal gets "
       "through. ignore: nothing. It is killed before the claim ends all the "
       "same. One of stop, pause, ignore.",
       "stop", "stop|pause|ignore"},
      {"kill-margin", 0, "DURATION",
       "Begin to kill this long before the claim ends: at least 50ms, at most "
       "half of the time between the renew deadline and that end, and said at "
       "the end if that is less than was asked for.",
       "500ms"},
      {"run-id", 0, "ID",
       "Passed to the command as TENURE_RUN_ID; also that variable, else "
       "JOB_NAME, which the downward API can set from the label "
       "batch.kubernetes.io/job-name.",
       "none"},
      {"once", 0, "",
       "Run only if --run-id is new, and record on the Lease that it is done. "
       "One that is recorded exits 0 and runs nothing; one that is not newer "
       "than the last is refused. At least once: see below.",
       "false"},
      {"hold-at-least", 0, "DURATION",
       "Keep the lease this long, counted from when the command began, "
       "against duplicate triggers that come late.",
       "0"},
      {"control-socket", 0, "PATH",
       "The sidecar's control socket; also TENURE_CONTROL_SOCKET.",
       "where a sidecar started here would have it"},
      {"socket", 0, "PATH",
       "The sidecar's status socket, passed to the command as TENURE_SOCKET; "
       "also that variable.",
       "where a sidecar started here would have it"},
  };
}

std::unexpected<Error> Usage(std::string text) {
  return Fail(ErrorCode::kInvalidArgument, std::move(text));
}

// The flag, else the variable, else "".
std::string Given(const ParsedFlags& flags, const Environment& environment,
                  const std::string& flag, const char* variable) {
  return FlagValue(flags, flag, Variable(environment, variable));
}

Result<int> FlagExitCode(const ParsedFlags& flags) {
  const std::string text = FlagValue(flags, "timeout-code", "75");
  int code = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, code);
  if (error != std::errc{} || at != end || code < 0 || code > 255) {
    return Usage("--timeout-code: expected 0 to 255, found \"" + text + "\"");
  }
  return code;
}

Result<OnUncertain> FlagOnUncertain(const ParsedFlags& flags) {
  const std::string text = FlagValue(flags, "on-uncertain", "stop");
  if (text == "stop") return OnUncertain::kStop;
  if (text == "pause") return OnUncertain::kPause;
  if (text == "ignore") return OnUncertain::kIgnore;
  return Usage("--on-uncertain: expected stop, pause or ignore, found \"" +
               text + "\"");
}

Result<void> ReadRun(const ParsedFlags& flags, const Environment& environment,
                     GateOptions* options) {
  options->run_id = Given(flags, environment, "run-id", "TENURE_RUN_ID");
  if (options->run_id.empty()) {
    options->run_id = Variable(environment, "JOB_NAME");
  }
  if (!FlagIsOn(flags, "once")) return {};
  if (const Result<void> ok = CheckRunId(options->run_id); !ok) {
    return Usage("--once: " + ok.error().message + "; give --run-id");
  }
  options->waiting.once = options->ending.once = options->run_id;
  return {};
}

Result<void> ReadTimes(const ParsedFlags& flags, GateOptions* options) {
  const Result<Duration> timeout = DurationFlag(flags, "timeout", "0");
  if (!timeout) return std::unexpected(timeout.error());
  options->waiting.timeout = *timeout;
  const Result<int> code = FlagExitCode(flags);
  if (!code) return std::unexpected(code.error());
  options->waiting.not_obtained = *code;
  const Result<Duration> hold = DurationFlag(flags, "hold-at-least", "0");
  if (!hold) return std::unexpected(hold.error());
  options->ending.hold_at_least = *hold;
  const Result<Duration> margin = DurationFlag(flags, "kill-margin", "500ms");
  if (!margin) return std::unexpected(margin.error());
  if (*margin < kLeastKillMargin) {
    return Usage("--kill-margin: expected at least 50ms, found " +
                 FormatDuration(*margin));
  }
  options->guarding.kill_margin = *margin;
  const Result<OnUncertain> action = FlagOnUncertain(flags);
  if (!action) return std::unexpected(action.error());
  options->guarding.on_uncertain = *action;
  return {};
}

// The flags of exec, and those of run for --direct, each name once.
std::vector<FlagSpec> AllFlags() {
  std::vector<FlagSpec> flags = ExecFlags();
  for (FlagSpec& setting : SettingFlags()) {
    const auto same = [&](const FlagSpec& flag) {
      return flag.name == setting.name;
    };
    if (std::ranges::none_of(flags, same)) flags.push_back(std::move(setting));
  }
  return flags;
}

// Neither way falls back to the other, so neither takes the other's flags.
Result<void> CheckMode(const ParsedFlags& flags) {
  if (FlagIsOn(flags, "direct")) {
    for (const char* name : {"control-socket", "socket"}) {
      if (flags.given.contains(name)) {
        return Usage(std::string("--") + name +
                     ": with --direct there is no sidecar to reach");
      }
    }
    return {};
  }
  const std::vector<FlagSpec> own = ExecFlags();
  for (const auto& [name, texts] : flags.given) {
    const auto same = [&](const FlagSpec& flag) { return flag.name == name; };
    if (std::ranges::none_of(own, same)) {
      return Usage("--" + name +
                   ": the sidecar has its own settings; only --direct takes "
                   "this one");
    }
  }
  return {};
}

Result<void> ReadSockets(const ParsedFlags& flags,
                         const Environment& environment, GateOptions* options) {
  options->control_socket = FlagValue(flags, "control-socket", "");
  if (options->control_socket.empty()) {
    Result<std::string> usual = DefaultControlSocket(environment);
    if (!usual) return std::unexpected(usual.error());
    options->control_socket = *std::move(usual);
  }
  options->status_socket = Given(flags, environment, "socket", "TENURE_SOCKET");
  if (options->status_socket.empty()) {
    // Only one that is there: the command would trust what it is told.
    const Result<std::string> usual = DefaultStatusSocket(environment);
    if (usual && ::access(usual->c_str(), F_OK) == 0) {
      options->status_socket = *usual;
    }
  }
  return {};
}

Result<GateOptions> ReadOptions(const ParsedFlags& flags,
                                const Environment& environment,
                                std::vector<std::string> command) {
  GateOptions options;
  options.command = std::move(command);
  options.say = &PrintProblem;
  // With --direct there is no other to mean, and a slot has another name.
  if (!FlagIsOn(flags, "direct")) {
    options.lease = FlagValue(flags, "lease", "");
  }
  if (const auto ok = ReadRun(flags, environment, &options); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = ReadTimes(flags, &options); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = CheckMode(flags); !ok) {
    return std::unexpected(ok.error());
  }
  if (FlagIsOn(flags, "direct")) return options;
  if (const auto ok = ReadSockets(flags, environment, &options); !ok) {
    return std::unexpected(ok.error());
  }
  return options;
}

std::string OwnProgram() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  // It may have been replaced since.
  const bool there = !error && ::access(path.c_str(), X_OK) == 0;
  return there ? path.string() : "/proc/self/exe";
}

// Leaves one lease at most in `flags`; those after it go to an exec of their
// own, which `command` then is.
Result<void> TakeFirstLease(const Environment& environment, ParsedFlags* flags,
                            std::vector<std::string>* command,
                            std::size_t* timeout_word) {
  std::vector<std::string> given = {Variable(environment, "TENURE_LEASE")};
  if (const auto found = flags->given.find("lease");
      found != flags->given.end()) {
    given = found->second;
  }
  Result<std::vector<std::string>> leases = SortedLeases(given);
  if (!leases) return std::unexpected(leases.error());
  if (leases->empty()) return {};
  flags->given["lease"] = {leases->front()};
  if (leases->size() == 1) return {};
  for (const auto& [name, why] :
       {std::pair{"once", "a run is recorded on one Lease"},
        std::pair{"slots", "it numbers one lease"}}) {
    if (flags->given.contains(name)) {
      return Usage(std::string("--") + name + ": expected one lease, found " +
                   std::to_string(leases->size()) + ": " + why);
    }
  }
  if (FlagValue(*flags, "on-uncertain", "stop") == "pause") {
    return Usage("--on-uncertain: pause: expected one lease, found " +
                 std::to_string(leases->size()) +
                 ": it would stop the guards of the others, too");
  }
  leases->erase(leases->begin());
  *command = NestedCommand(OwnProgram(), *flags, *leases, *command);
  *timeout_word = TimeoutWord(*command);
  return {};
}

// Those of --direct are the sidecar's to say.
void WarnOfVariables(const Environment& environment) {
  // The outer of two, one inside the other, has said it.
  if (!Variable(environment, "TENURE_GENERATION").empty()) return;
  for (const std::string& line : UnknownVariables(environment)) {
    PrintProblem("warning: " + line);
  }
}

}  // namespace

int RunExec(const VerbCall& call) {
  // What stands after the first -- is the command's, flags included.
  const auto mark = std::ranges::find(call.arguments, "--");
  VerbCall own{{call.arguments.begin(), mark}, call.environment};
  if (const auto stray = FirstPositional(AllFlags(), own.arguments)) {
    const std::string shown = stray->substr(0, 80);
    PrintProblem("expected -- before the command, found \"" + shown +
                 "\" without it; write tenure exec [FLAGS] -- " + shown +
                 " ...");
    return kExitUsage;
  }
  auto flags = TakeFlags(own, AllFlags(), &ExecHelp, 0);
  if (!flags) return flags.error();
  std::vector<std::string> command;
  if (mark != call.arguments.end()) {
    command.assign(std::next(mark), call.arguments.end());
  }
  if (command.empty() || command.front().empty()) {
    PrintProblem("expected a command after --, found none");
    return kExitUsage;
  }
  std::size_t timeout_word = 0;
  if (const auto ok =
          TakeFirstLease(call.environment, &*flags, &command, &timeout_word);
      !ok) {
    PrintProblem(ok.error().message);
    return kExitUsage;
  }
  Result<GateOptions> options =
      ReadOptions(*flags, call.environment, std::move(command));
  if (!options) {
    PrintProblem(options.error().message);
    return kExitUsage;
  }
  options->timeout_word = timeout_word;
  if (const auto ok = CheckFreeFiles(kFilesOfGuards); !ok) {
    PrintProblem(ok.error().message);
    return kGateOwnFailure;
  }
  options->signals = TakeSignals();
  if (!FlagIsOn(*flags, "direct")) {
    WarnOfVariables(call.environment);
    return RunGated(*options);
  }
  const auto sidecar =
      StartDirectSidecar(*flags, call.environment, options->signals);
  if (!sidecar) return sidecar.error();
  options->own_sidecar = sidecar->pid;
  options->waiting.own_sidecar = true;
  options->control_socket = sidecar->control_socket;
  options->status_socket = sidecar->status_socket;
  const int code = RunGated(*options);
  RemoveFolder(*sidecar);
  return code;
}

VerbHelp ExecHelp() {
  return HelpText(
      "exec [FLAGS] -- COMMAND [ARGUMENT...]",
      "Waits until a running sidecar, or with --direct this command itself,\n"
      "holds the lease, then runs COMMAND, without a shell, and only while "
      "the\n"
      "claim lasts: it is told to stop when a renewal is overdue, and it and\n"
      "all it started are dead before anybody else can take the lease. The\n"
      "sidecar releases only after that.\n"
      "\n"
      "COMMAND gets TENURE_LEASE, TENURE_GENERATION, TENURE_HOLDER,\n"
      "TENURE_RUN_ID and TENURE_SOCKET, as they stood when it began, and\n"
      "for each lease its own TENURE_GENERATION_NAME, in upper case, with _\n"
      "for - and dots; long work asks the socket again. Signals are passed\n"
      "on. What COMMAND leaves running when it ends is told to stop, and\n"
      "killed after 2s.\n"
      "\n"
      "Exits with COMMAND's code (128+n for a signal); 75 if the lease was "
      "not\n"
      "held in time, 79 if authority was lost while COMMAND ran, 69 if no\n"
      "sidecar answers, 77 if RBAC forbids, 64 for wrong usage, 78 for a "
      "wrong\n"
      "configuration, 125 for a failure of its own, 126 if COMMAND cannot be\n"
      "run, 127 if it is not found.\n"
      "\n"
      "With --once a crash between the command's effect and the record of it\n"
      "means that the next start runs again: at least once. Exactly once "
      "takes\n"
      "the store: a unique key of the run and the comparison of generations,\n"
      "in the transaction of the effect itself. A business key such as\n"
      "billing:2026-11-29 makes a good run id.\n"
      "\n"
      "A process that is paused between its check and its write, or a pod\n"
      "that is frozen whole and thawed, is past what a wrapper can do: attach\n"
      "TENURE_GENERATION to every write, and let the store refuse a lower "
      "one.\n",
      ExecFlags(),
      "  tenure exec --timeout 10m -- /app/bill --date 2026-11-29\n");
}

}  // namespace tenure
