// `tenure status`, `generation` and `probe`: what a running sidecar answers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sidecar/base/error.h"
#include "sidecar/base/instant.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/live_view.h"
#include "sidecar/cli/local_client.h"
#include "sidecar/cli/output_format.h"
#include "sidecar/cli/sidecar_address.h"
#include "sidecar/cli/sidecar_answer.h"
#include "sidecar/cli/status_document.h"
#include "sidecar/cli/status_figures.h"
#include "sidecar/cli/status_watch.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/load_settings.h"
#include "sidecar/config/setting_table.h"

namespace tenure {
namespace {

constexpr std::uint16_t kProbePort = 7422;

FlagSpec TimeoutFlag() {
  return {"timeout", 0, "DURATION",
          "How long to wait for the answer, the first one if several follow.",
          "5s"};
}

std::vector<FlagSpec> AskFlags() {
  std::vector<FlagSpec> flags = AddressFlags();
  flags.push_back(OutputFormatFlag());
  flags.push_back(TimeoutFlag());
  return flags;
}

std::vector<FlagSpec> GenerationFlags() {
  std::vector<FlagSpec> flags = AskFlags();
  flags.push_back({"watch", 'w', "",
                   "Go on with a line for each change: the generation, or "
                   "standby, or uncertain. As json or yaml a document for each "
                   "renewal and change.",
                   "false"});
  return flags;
}

std::vector<FlagSpec> StatusFlags() {
  std::vector<FlagSpec> flags = AskFlags();
  flags.push_back({"watch", 'w', "",
                   "Go on with each renewal and change; on a terminal, with a "
                   "view that is drawn anew. Of several leases, name one.",
                   "false"});
  return flags;
}

std::vector<FlagSpec> ProbeFlags() {
  return {
      {"probe-port", 0, "PORT",
       "The sidecar's probe port; also TENURE_PROBE_PORT.", "7422"},
      {"output", 'o', "FORMAT", "text or json.", "text", "text|json"},
      TimeoutFlag(),
  };
}

// What one question needs, read from flags and environment.
struct Question {
  LocalAddress address;
  std::string query;  // "" or "?lease=NAME"
  OutputFormat format = OutputFormat::kText;
  Duration limit{0};
};

Result<Question> Common(const ParsedFlags& flags) {
  Question question;
  const Result<OutputFormat> format = ReadOutputFormat(flags);
  if (!format) return std::unexpected(format.error());
  question.format = *format;
  const Result<Duration> limit = DurationFlag(flags, "timeout", "5s");
  if (!limit) return std::unexpected(limit.error());
  // 0: no limit; a year is none.
  question.limit = *limit == Duration{0} ? std::chrono::hours(8784) : *limit;
  return question;
}

Result<Question> AskQuestion(const ParsedFlags& flags,
                             const Environment& environment) {
  Result<Question> question = Common(flags);
  if (!question) return question;
  Result<LocalAddress> address = AskedAddress(flags, environment);
  if (!address) return std::unexpected(address.error());
  question->address = *std::move(address);
  Result<std::string> query = AskedTarget(flags, "");
  if (!query) return std::unexpected(query.error());
  question->query = *std::move(query);
  return question;
}

int RefuseUsage(const Error& error) {
  PrintProblem(error.message);
  return kExitUsage;
}

int Unreachable(const std::string& text) {
  PrintProblem(text);
  return kExitUnreachable;
}

// Asks, prints, and gives the exit code.
int Ask(const Question& question, const std::string& target,
        const std::function<void(const SidecarAnswer&)>& print) {
  const Result<SidecarAnswer> answer =
      AskSidecar(question.address, target, question.limit);
  if (answer) {
    print(*answer);
    return answer->summary.exit_code;
  }
  return answer.error().code == ErrorCode::kInvalidArgument
             ? RefuseUsage(answer.error())
             : Unreachable(answer.error().message);
}

void PrintGeneration(const Question& question, const StatusSummary& summary) {
  if (question.format != OutputFormat::kText) {
    std::fputs(Formatted(summary, question.format).c_str(), stdout);
  } else if (summary.exit_code == kExitHeld) {
    std::printf("%s\n", summary.generation.c_str());
  } else {
    std::fputs(summary.text.c_str(), stderr);
  }
}

// On a terminal a view of one lease; else a line for each.
void PrintStatus(const Question& question, const Environment& environment,
                 const SidecarAnswer& answer) {
  const auto style = question.format == OutputFormat::kText
                         ? TerminalStyle(environment)
                         : std::nullopt;
  Result<StatusFigures> figures = ReadStatusFigures(answer.summary.json);
  if (!style || !figures) {
    std::fputs(Formatted(answer.summary, question.format).c_str(), stdout);
    return;
  }
  LiveView view(*style);
  view.OnAnswer(*std::move(figures), answer.as_of);
  std::fputs(view.Draw(answer.as_of).c_str(), stdout);
}

}  // namespace

int RunStatus(const VerbCall& call) {
  const auto flags = TakeFlags(call, StatusFlags(), &StatusHelp, 0);
  if (!flags) return flags.error();
  const Result<Question> question = AskQuestion(*flags, call.environment);
  if (!question) return RefuseUsage(question.error());
  if (FlagIsOn(*flags, "watch")) {
    return WatchStatus(question->address, question->query, question->format,
                       question->limit, call.environment);
  }
  return Ask(*question, "/v1/status" + question->query,
             [&](const SidecarAnswer& answer) {
               PrintStatus(*question, call.environment, answer);
             });
}

VerbHelp StatusHelp() {
  return HelpText("status [FLAGS]",
                  "Prints what a sidecar answers now: on a terminal a view of\n"
                  "the lease, else a line. Exits 0 if the lease is held, 1 on\n"
                  "standby, 2 if uncertain, 69 if no sidecar answers; of\n"
                  "several leases, the highest of these; 0 if one of several\n"
                  "slots is held. With --watch until a signal, or 69 when the\n"
                  "sidecar is gone. NO_COLOR is honoured.\n",
                  StatusFlags(),
                  "  tenure status -o json\n"
                  "  tenure status --watch\n");
}

int RunGeneration(const VerbCall& call) {
  const auto flags = TakeFlags(call, GenerationFlags(), &GenerationHelp, 0);
  if (!flags) return flags.error();
  const Result<Question> question = AskQuestion(*flags, call.environment);
  if (!question) return RefuseUsage(question.error());
  if (FlagIsOn(*flags, "watch")) {
    return WatchGeneration(question->address, question->query, question->format,
                           question->limit);
  }
  return Ask(*question, "/v1/generation" + question->query,
             [&](const SidecarAnswer& answer) {
               PrintGeneration(*question, answer.summary);
             });
}

VerbHelp GenerationHelp() {
  return HelpText(
      "generation [FLAGS]",
      "Prints the generation while the lease is held, and nothing on stdout\n"
      "otherwise. Exits 0 if held, 1 on standby, 2 if uncertain, 69 if no\n"
      "sidecar answers. With --watch until a signal, or 69 when the sidecar\n"
      "is gone; a line that was read is as old as it is: ask again before a\n"
      "write, and let the store refuse a lower one.\n",
      GenerationFlags(),
      "  tenure generation --timeout 1s\n"
      "  tenure generation --watch\n");
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
  question->address.flag = "--probe-port";
  if (question->format == OutputFormat::kYaml) {
    PrintProblem("--output: expected text or json, found \"yaml\"");
    return kExitUsage;
  }
  const Result<LocalAnswer> got =
      LocalGet(question->address, "/" + which + "z",
               question->format == OutputFormat::kJson, question->limit);
  if (!got) return Unreachable(got.error().message);
  std::fputs(got->body.c_str(), got->status == 200 ? stdout : stderr);
  return got->status == 200 ? 0 : 1;
}

VerbHelp ProbeHelp() {
  return HelpText("probe ready|live|startup [FLAGS]",
                  "Asks a sidecar's probe port, for exec probes. Exits 0 for\n"
                  "yes, 1 for no, 69 if no sidecar answers.\n",
                  ProbeFlags(), "  tenure probe ready --timeout 1s\n");
}

}  // namespace tenure
