// `tenure status`, `generation` and `probe`: what a running sidecar answers.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <string>
#include <vector>

#include "sidecar/authority/authority_snapshot.h"
#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/default_sockets.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/status_document.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/clock/system_clock.h"
#include "sidecar/config/duration_text.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/lease_name.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/setting_table.h"
#include "sidecar/gate/report.h"

namespace tenure {
namespace {

constexpr std::uint16_t kProbePort = 7422;

FlagSpec TimeoutFlag() {
  return {"timeout", 0, "DURATION", "How long to wait for the answer.", "5s"};
}

std::vector<FlagSpec> AskFlags() {
  return {
      {"lease", 'l', "NAME", "Which lease, of a sidecar with several.",
       "the only one"},
      {"socket", 0, "PATH", "The sidecar's status socket; also TENURE_SOCKET.",
       "where a sidecar started here would have it"},
      {"port", 0, "PORT", "Ask over TCP on 127.0.0.1 instead.", "the socket"},
      {"output", 'o', "FORMAT", "text or json.", "text"},
      TimeoutFlag(),
  };
}

std::vector<FlagSpec> ProbeFlags() {
  return {
      {"probe-port", 0, "PORT",
       "The sidecar's probe port; also TENURE_PROBE_PORT.", "7422"},
      {"output", 'o', "FORMAT", "text or json.", "text"},
      TimeoutFlag(),
  };
}

// What one question needs, read from flags and environment.
struct Question {
  LocalAddress address;
  bool json = false;
  Duration limit{0};
};

Result<Question> Common(const ParsedFlags& flags) {
  Question question;
  const std::string output = FlagValue(flags, "output", "text");
  if (output != "text" && output != "json") {
    return Fail(ErrorCode::kInvalidArgument,
                "--output: expected text or json, found \"" + output + "\"");
  }
  question.json = output == "json";
  const Result<Duration> limit =
      ParseDuration(FlagValue(flags, "timeout", "5s"));
  if (!limit) {
    return Fail(ErrorCode::kInvalidArgument,
                "--timeout: " + limit.error().message);
  }
  // 0: no limit; a year is none.
  question.limit = *limit == Duration{0} ? std::chrono::hours(8784) : *limit;
  return question;
}

Result<Question> AskQuestion(const ParsedFlags& flags,
                             const Environment& environment) {
  Result<Question> question = Common(flags);
  if (!question) return question;
  if (flags.given.contains("port")) {
    const Result<std::uint16_t> port = FlagPort(flags, "port", 0);
    if (!port) return std::unexpected(port.error());
    question->address.port = *port;
    return question;
  }
  if (flags.given.contains("socket")) {
    question->address.socket = FlagValue(flags, "socket", "");
    return question;
  }
  const Result<std::string> socket = DefaultStatusSocket(environment);
  if (!socket) return std::unexpected(socket.error());
  question->address.socket = *socket;
  return question;
}

// `route`, with ?lease= where one was named.
Result<std::string> Target(const ParsedFlags& flags, const char* route) {
  const std::string lease = FlagValue(flags, "lease", "");
  if (lease.empty()) return std::string(route);
  if (const Result<void> ok = CheckLeaseName(lease); !ok) {
    return std::unexpected(ok.error());
  }
  return std::string(route) + "?lease=" + lease;
}

int RefuseUsage(const Error& error) {
  PrintProblem(error.message);
  return kExitUsage;
}

int Unreachable(const std::string& text) {
  PrintProblem(text);
  return kExitUnreachable;
}

// Why `got` is no document: the question was wrong, or who answered is no
// sidecar.
int Refused(const LocalAnswer& got) {
  std::string text = "expected a status document, found status " +
                     std::to_string(got.status) + ": " + ReadError(got.body);
  // Nothing of it may steer the terminal.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; },
      '?');
  if (got.status == 400 || got.status == 404) {
    PrintProblem(text);
    return kExitUsage;
  }
  return Unreachable(text);
}

int Ask(const VerbCall& call, std::string (*help)(), const char* route,
        int (*answer)(const Question&, const StatusSummary&)) {
  const auto flags = TakeFlags(call, AskFlags(), help, 0);
  if (!flags) return flags.error();
  const Result<Question> question = AskQuestion(*flags, call.environment);
  if (!question) return RefuseUsage(question.error());
  const Result<std::string> target = Target(*flags, route);
  if (!target) return RefuseUsage(target.error());
  // S1: what remains counts from before we asked. The document says it, so it
  // is read whole even where text is wanted.
  const Moment asked = ReadClocks();
  const Result<LocalAnswer> got =
      LocalGet(question->address, *target, true, question->limit);
  if (!got) return Unreachable(got.error().message);
  const Moment now = ReadClocks();
  const Duration elapsed = PauseWasHidden(asked, now)
                               ? Duration::max()
                               : LongestElapsed(asked.instant, now.instant);
  const Result<StatusSummary> summary = ReadStatusDocument(got->body, elapsed);
  if (!summary) return Refused(*got);
  return answer(*question, *summary);
}

int AnswerGeneration(const Question& question, const StatusSummary& summary) {
  if (question.json) {
    std::fputs(summary.json.c_str(), stdout);
  } else if (summary.exit_code == kExitHeld) {
    std::printf("%s\n", summary.generation.c_str());
  } else {
    std::fputs(summary.text.c_str(), stderr);
  }
  return summary.exit_code;
}

int AnswerStatus(const Question& question, const StatusSummary& summary) {
  std::fputs(question.json ? summary.json.c_str() : summary.text.c_str(),
             stdout);
  return summary.exit_code;
}

}  // namespace

int RunStatus(const VerbCall& call) {
  return Ask(call, &StatusHelp, "/v1/status", &AnswerStatus);
}

std::string StatusHelp() {
  return HelpText("status [FLAGS]",
                  "Prints what a sidecar answers now. Exits 0 if the lease is\n"
                  "held, 1 on standby, 2 if uncertain, 69 if no sidecar\n"
                  "answers; of several leases, the highest of these.\n",
                  AskFlags(), "  tenure status -o json\n");
}

int RunGeneration(const VerbCall& call) {
  return Ask(call, &GenerationHelp, "/v1/generation", &AnswerGeneration);
}

std::string GenerationHelp() {
  return HelpText(
      "generation [FLAGS]",
      "Prints the generation while the lease is held, and nothing on stdout\n"
      "otherwise. Exits 0 if held, 1 on standby, 2 if uncertain, 69 if no\n"
      "sidecar answers.\n",
      AskFlags(), "  tenure generation --timeout 1s\n");
}

int RunProbe(const VerbCall& call) {
  const auto flags = TakeFlags(call, ProbeFlags(), &ProbeHelp, 1);
  if (!flags) return flags.error();
  const std::string which =
      flags->positionals.empty() ? "" : flags->positionals.front();
  if (which != "ready" && which != "live" && which != "startup") {
    PrintProblem("expected ready, live or startup, found \"" + which + "\"");
    return kExitUsage;
  }
  Result<Question> question = Common(*flags);
  if (!question) return RefuseUsage(question.error());
  ParsedFlags with_environment = *flags;
  const std::string port_text =
      Variable(call.environment, EnvironmentVariable("probe-port"));
  if (!port_text.empty() && !flags->given.contains("probe-port") &&
      port_text.find("://") == std::string::npos) {
    with_environment.given["probe-port"] = {port_text};
  }
  const auto port = FlagPort(with_environment, "probe-port", kProbePort);
  if (!port) return RefuseUsage(port.error());
  question->address.port = *port;
  const Result<LocalAnswer> got = LocalGet(question->address, "/" + which + "z",
                                           question->json, question->limit);
  if (!got) return Unreachable(got.error().message);
  std::fputs(got->body.c_str(), got->status == 200 ? stdout : stderr);
  return got->status == 200 ? 0 : 1;
}

std::string ProbeHelp() {
  return HelpText("probe ready|live|startup [FLAGS]",
                  "Asks a sidecar's probe port, for exec probes. Exits 0 for\n"
                  "yes, 1 for no, 69 if no sidecar answers.\n",
                  ProbeFlags(), "  tenure probe ready --timeout 1s\n");
}

}  // namespace tenure
