#include "sidecar/cli/verbs.h"

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/cli/build_info.h"
#include "sidecar/cli/exit_code.h"
#include "sidecar/cli/verb_flags.h"
#include "sidecar/config/closest_name.h"
#include "sidecar/config/flag_parser.h"
#include "sidecar/config/load_settings.h"

namespace tenure {
namespace {

constexpr std::array<Verb, 13> kVerbs{{
    {"run", "hold a lease and serve its generation", &RunSidecarVerb,
     &RunSidecarHelp},
    {"exec", "run a command only while the lease is held", &RunExec, &ExecHelp},
    {"wait", "until a sidecar holds the lease, or surely does not", &RunWait,
     &WaitHelp},
    {"status", "what a sidecar answers now", &RunStatus, &StatusHelp},
    {"generation", "the generation, while held", &RunGeneration,
     &GenerationHelp},
    {"probe", "ask a sidecar's probes", &RunProbe, &ProbeHelp},
    {"release", "give the lease up to whoever waits", &RunRelease,
     &ReleaseHelp},
    {"plan", "how long a lease should be, and what one survives", &RunPlan,
     &PlanHelp},
    {"drill", "does the fence hold? Pauses a holder and looks", &RunDrill,
     &DrillHelp},
    {"dev", "an API server for Leases alone, in memory", &RunDev, &DevHelp},
    {"completion", "completion for bash, zsh or fish", &RunCompletion,
     &CompletionHelp},
    {"version", "which build this is", &RunVersion, &VersionHelp},
    {"help", "this list, or the help of a verb", &RunHelp, &HelpHelp},
}};

const Verb* FindVerb(std::string_view name) {
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return &verb;
  }
  return nullptr;
}

std::string VerbList() {
  std::string text;
  for (const Verb& verb : kVerbs) {
    char line[96];
    std::snprintf(line, sizeof line, "  %-12s%s\n", verb.name, verb.summary);
    text += line;
  }
  return text;
}

std::string Overview() {
  return "usage: tenure VERB [FLAGS]\n\n"
         "Holds a coordination.k8s.io/v1 Lease and serves its generation, the\n"
         "number that fences writes.\n\nVerbs:\n" +
         VerbList() + "\n`tenure VERB --help` explains one.\n";
}

int RefuseVerb(const std::string& name) {
  std::vector<std::string> names;
  names.reserve(kVerbs.size());
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  const std::string found = "\"" + name.substr(0, 80) + "\"";
  const std::string meant = ClosestName(name, names);
  if (name.starts_with('-')) {
    PrintProblem("expected a verb, found " + found +
                 "; flags stand after the verb, and `tenure help` lists the "
                 "verbs");
  } else {
    PrintProblem("unknown verb " + found +
                 (meant.empty() ? "; `tenure help` lists them"
                                : "; did you mean " + meant + "?"));
  }
  return kExitUsage;
}

std::vector<FlagSpec> OutputFlag() {
  return {{"output", 'o', "FORMAT", "text or json.", "text", "text|json"}};
}

}  // namespace

std::span<const Verb> Verbs() { return kVerbs; }

int RunCommandLine(std::vector<std::string> arguments,
                   const Environment& environment) {
  if (arguments.empty()) {
    std::fputs(Overview().c_str(), stderr);
    return kExitUsage;
  }
  std::string name = arguments.front();
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version") name = "version";
  if (name.starts_with("drill-")) {
    arguments.erase(arguments.begin());
    return RunDrillPart(name, VerbCall{std::move(arguments), environment});
  }
  const Verb* verb = FindVerb(name);
  if (verb == nullptr) return RefuseVerb(name);
  arguments.erase(arguments.begin());
  return verb->run(VerbCall{std::move(arguments), environment});
}

int RunVersion(const VerbCall& call) {
  const auto flags = TakeFlags(call, OutputFlag(), &VersionHelp, 0);
  if (!flags) return flags.error();
  const std::string output = FlagValue(*flags, "output", "text");
  if (output == "json") {
    std::printf("{\"version\":\"%s\",\"revision\":\"%s\"}\n", BuildVersion(),
                BuildRevision());
  } else if (output == "text") {
    std::printf("tenure %s (%s)\n", BuildVersion(), BuildRevision());
  } else {
    PrintProblem("--output: expected text or json, found \"" + output + "\"");
    return kExitUsage;
  }
  return kExitOk;
}

VerbHelp VersionHelp() {
  return HelpText("version [FLAGS]", "Prints which build this is.\n",
                  OutputFlag(), "  tenure version -o json\n");
}

int RunHelp(const VerbCall& call) {
  const auto flags = TakeFlags(call, {}, &HelpHelp, 1);
  if (!flags) return flags.error();
  if (flags->positionals.empty()) {
    std::fputs(Overview().c_str(), stdout);
    return kExitOk;
  }
  const Verb* verb = FindVerb(flags->positionals.front());
  if (verb == nullptr) return RefuseVerb(flags->positionals.front());
  std::fputs(RenderHelp(verb->help()).c_str(), stdout);
  return kExitOk;
}

VerbHelp HelpHelp() {
  return HelpText("help [VERB]", "Prints the verbs, or the help of one.\n", {},
                  "  tenure help run\n");
}

}  // namespace tenure
